package io.fila.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/** A PostgreSQL that a test may do harm to. Its data and its port stay the same when it is started again. */
public final class OwnPostgres implements AutoCloseable {

    private final Path data;
    private final Map<String, String> settings;
    private EmbeddedPostgres server;

    private OwnPostgres(Path data, Map<String, String> settings) {
        this.data = data;
        this.settings = settings;
        this.server = run(0);
    }

    public static OwnPostgres start(Path directory) {
        return start(directory, Map.of());
    }

    /** @param settings further settings of the server */
    public static OwnPostgres start(Path directory, Map<String, String> settings) {
        return new OwnPostgres(directory.resolve("postgres"), settings);
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

    /** {@code kill -9} of all its processes at once. */
    public void kill() {
        // first they stand still: a postmaster that lives a moment longer would begin to recover
        ProcessHandle postmaster = postmaster();
        signal("STOP", postmaster);
        List<ProcessHandle> processes = postmaster.children().toList();
        signal("STOP", processes.toArray(ProcessHandle[]::new));
        signal("KILL", processes.toArray(ProcessHandle[]::new));
        signal("KILL", postmaster);
        await().until(() -> !postmaster.isAlive());
    }

    /** {@code kill -9} of one session's process: the server ends all others and recovers, and its main process lives on. */
    public void killSession() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            ProcessHandle session = ProcessHandle.of(row.getLong(1)).orElseThrow();
            signal("KILL", session);
            await().until(() -> !session.isAlive());
        }
    }

    /** Ends it as {@code pg_ctl stop -m fast} does: sessions are ended, and everything is on disk. */
    public void stop() {
        end("INT");
    }

    /** Ends it as {@code pg_ctl stop -m immediate} does: without a word to clients, and without a checkpoint. */
    public void stopImmediately() {
        end("QUIT");
    }

    private void end(String signal) {
        ProcessHandle postmaster = postmaster();
        signal(signal, postmaster);
        await().until(() -> !postmaster.isAlive() && !Files.exists(pidFile()));
    }

    /** After it has been stopped. */
    public void startAgain() {
        // what is left of it: a lock on the directory
        closeServer();
        server = run(server.getPort());
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
        server = run(server.getPort());
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

    private EmbeddedPostgres run(int port) {
        try {
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                    .setDataDirectory(data)
                    .setCleanDataDirectory(false)
                    .setPort(port)
                    // off by default, and then an immediate stop forgets what was committed in the last half second
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setRegisterShutdownHook(true);
            settings.forEach(builder::setServerConfig);
            return builder.start();
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
