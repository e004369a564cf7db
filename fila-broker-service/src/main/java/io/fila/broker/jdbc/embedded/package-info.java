/**
 * The PostgreSQL of a broker that is told of none.
 *
 * <p><b>Promise.</b> It is a real database: nothing acknowledged is lost, whatever is killed. With
 * {@code spring.datasource.url} (or any other source of connection details) nothing of this package starts.
 *
 * <p><b>How.</b> {@link EmbeddedPostgres} owns the cluster in {@code fila.broker.data-dir} from the lock to the last
 * checkpoint: {@link DirectoryLock lock} the directory, unpack the {@link Binaries binaries}, stop an
 * {@link OrphanedPostmaster orphan}, initialise the {@link Cluster cluster} if there is none, start the
 * {@link Postmaster postmaster}. Spring Boot's own auto-configuration does the rest, from the
 * {@code JdbcConnectionDetails} bean on: it is the server, so the pool opens after it and closes before it.
 *
 * <p><b>What is where.</b> The directory <em>is</em> PostgreSQL's data directory, so that every tool that takes a
 * {@code PGDATA} can be pointed at it. Everything that is the broker's lies in its subdirectory {@code fila}, the
 * unpacked binaries too: one directory is all that has to be writable. A shared temporary directory would not do for
 * them: what sweeps it removes libraries under a server that has run for two weeks, and on a shared machine somebody
 * else may have put a program there first.
 *
 * <p><b>Who may connect.</b> Loopback only, no socket file, and a random password that only the owner of the directory
 * can read: the server runs programs for a superuser, so without one every local user could become the broker's.
 *
 * <p><b>Failures.</b> {@code kill -9} of the broker leaves PostgreSQL running; the next start finds it by its pid file,
 * makes sure that the process is what the file says, and stops it. A second broker is refused while the first lives.
 * An interrupted initialisation is begun anew, for nothing was in it yet. A directory that cannot be used (not
 * writable, not ours, of another major version, damaged) and a platform without binaries end the start with what to do.
 * If the server stops by itself while the broker runs, its {@link Supervisor supervisor} starts it
 * again on the same port.
 */
@NullMarked
package io.fila.broker.jdbc.embedded;

import org.jspecify.annotations.NullMarked;
