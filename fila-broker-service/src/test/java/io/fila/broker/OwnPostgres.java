package io.fila.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/** A PostgreSQL that a test may do harm to. Its data and its port stay the same when it is started again. */
public final class OwnPostgres implements AutoCloseable {

    private final Path data;
    private EmbeddedPostgres server;

    private OwnPostgres(Path data, EmbeddedPostgres server) {
        this.data = data;
        this.server = server;
    }

    public static OwnPostgres start(Path directory) {
        Path data = directory.resolve("postgres");
        return new OwnPostgres(data, run(data, 0));
    }

    public String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    /** All its processes stand still, as on a machine that hangs: connections stay and nothing answers. */
    public void freeze() {
        // the postmaster first, so that it starts no backend that is not met
        ProcessHandle postmaster = postmaster();
        signal("STOP", postmaster);
        signal("STOP", postmaster.children().toArray(ProcessHandle[]::new));
    }

    public void thaw() {
        ProcessHandle postmaster = postmaster();
        signal("CONT", postmaster.children().toArray(ProcessHandle[]::new));
        signal("CONT", postmaster);
    }

    /** Ends it as {@code pg_ctl stop -m immediate} does: without a word to clients, and without a checkpoint. */
    public void stopImmediately() {
        ProcessHandle postmaster = postmaster();
        signal("QUIT", postmaster);
        await().until(() -> !postmaster.isAlive() && !Files.exists(pidFile()));
    }

    /** After it has been stopped. */
    public void startAgain() {
        // what is left of it: a lock on the directory
        closeServer();
        server = run(data, server.getPort());
    }

    /** Keeps a copy of what it holds now: a replica that gets nothing more. */
    public void keepReplica() throws IOException {
        stopImmediately();
        FileSystemUtils.copyRecursively(data, replica());
        Files.setPosixFilePermissions(replica(), PosixFilePermissions.fromString("rwx------"));
        startAgain();
    }

    /** The replica takes over, in the place of this server. */
    public void failOver() throws IOException, SQLException {
        stopImmediately();
        closeServer();
        FileSystemUtils.deleteRecursively(data);
        Files.move(replica(), data);
        Files.createFile(data.resolve("standby.signal"));
        server = run(data, server.getPort());
        try (Connection connection = DriverManager.getConnection(url());
                Statement statement = connection.createStatement()) {
            statement.execute("select pg_promote()");
        }
    }

    private Path replica() {
        return data.resolveSibling("replica");
    }

    @Override
    public void close() {
        if (Files.exists(pidFile())) {
            thaw();
        }
        closeServer();
    }

    private void closeServer() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static EmbeddedPostgres run(Path data, int port) {
        try {
            return EmbeddedPostgres.builder()
                    .setDataDirectory(data)
                    .setCleanDataDirectory(false)
                    .setPort(port)
                    // off by default, and then an immediate stop forgets what was committed in the last half second
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setRegisterShutdownHook(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("could not start a PostgreSQL in " + data, e);
        }
    }

    private static void signal(String name, ProcessHandle... processes) {
        try {
            List<String> command = Stream.concat(
                            Stream.of("kill", "-" + name),
                            Stream.of(processes).map(process -> Long.toString(process.pid())))
                    .toList();
            // complains of backends that have ended meanwhile
            new ProcessBuilder(command).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private ProcessHandle postmaster() {
        try {
            return ProcessHandle.of(
                            Long.parseLong(Files.readAllLines(pidFile()).get(0).strip()))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path pidFile() {
        return data.resolve("postmaster.pid");
    }
}
