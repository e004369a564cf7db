package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalyzedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class EmbeddedPostgresIT {

    @TempDir
    static Path sharedParent;

    /** One for all tests that only look. */
    private static EmbeddedPostgres shared;

    @TempDir
    Path parent;

    @BeforeAll
    static void startShared() {
        shared = EmbeddedPostgres.start(properties(sharedParent.resolve("data")));
    }

    @AfterAll
    static void stopShared() {
        shared.close();
    }

    @ParameterizedTest
    @CsvSource({
        "fsync, on",
        "synchronous_commit, on",
        "full_page_writes, on",
        "data_checksums, on",
        "listen_addresses, 127.0.0.1",
        "unix_socket_directories, ''",
        "autovacuum_naptime, 5s"
    })
    void runsDurablyAndForThisMachineOnly(String setting, String value) throws SQLException {
        assertThat(query(shared, "show " + setting)).isEqualTo(value);
    }

    @Test
    void letsNobodyInWithoutThePassword() {
        assertThatThrownBy(() -> DriverManager.getConnection(shared.getJdbcUrl(), Cluster.USER, "guess"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("password authentication failed");
    }

    @Test
    void doesNotShowThePassword() {
        assertThat(shared.toString()).doesNotContain(shared.getPassword());
    }

    @Test
    void keepsDataAndPortFromOneStartToTheNext() throws SQLException {
        String url;
        try (EmbeddedPostgres postgres = start()) {
            execute(postgres, "create table kept (id int)");
            url = postgres.getJdbcUrl();
        }
        assertThat(directory().postmasterPid()).doesNotExist();
        try (EmbeddedPostgres postgres = start()) {
            assertThat(postgres.getJdbcUrl()).isEqualTo(url);
            assertThat(query(postgres, "select count(*) from kept")).isEqualTo("0");
        }
    }

    @Test
    void takesAnotherPortWhereTheLastOneIsTaken() throws IOException, SQLException {
        start().close();
        int last = Integer.parseInt(DataDirectory.read(directory().port()));

        try (ServerSocket taken = new ServerSocket(last, 1, InetAddress.getLoopbackAddress());
                EmbeddedPostgres postgres = start()) {
            assertThat(postgres.getJdbcUrl()).doesNotContain(":" + taken.getLocalPort() + "/");
            assertThat(query(postgres, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void leavesAlonePidsThatAnotherProgramHasNow() throws IOException, SQLException {
        start().close();
        long self = ProcessHandle.current().pid();
        Files.writeString(
                directory().postmasterPid(),
                "%d\n%s\n%d\n".formatted(self, directory().path(), Instant.now().getEpochSecond()));

        try (EmbeddedPostgres postgres = start()) {
            assertThat(query(postgres, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void startsAgainWhatHasStoppedByItself() throws SQLException {
        try (EmbeddedPostgres postgres = start()) {
            execute(postgres, "create table kept (id int)");
            ProcessHandle postmaster = ProcessHandle.of(
                            Long.parseLong(DataDirectory.read(directory().postmasterPid())
                                    .lines()
                                    .toList()
                                    .get(0)))
                    .orElseThrow();

            postmaster.destroyForcibly();

            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().untilAsserted(() -> {
                assertThat(Postmaster.isRunning(postmaster)).isFalse();
                assertThat(query(postgres, "select count(*) from kept")).isEqualTo("0");
            });
        }
    }

    @Test
    void beginsAnewWhereInitialisingWasInterrupted() throws IOException, SQLException {
        Files.createDirectories(directory().initialising().resolve("base"));
        Files.writeString(directory().initialising().resolve("PG_VERSION"), "18");

        try (EmbeddedPostgres postgres = start()) {
            assertThat(query(postgres, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void goesOnMovingWhereThatWasInterrupted() throws IOException, SQLException {
        start().close();
        Path initialised = Files.createDirectory(directory().initialising().resolveSibling("initialised"));
        for (String file : List.of("PG_VERSION", "global", "postgresql.conf")) {
            Files.move(directory().path().resolve(file), initialised.resolve(file));
        }

        try (EmbeddedPostgres postgres = start()) {
            assertThat(query(postgres, "select 1")).isEqualTo("1");
            assertThat(initialised).doesNotExist();
        }
    }

    @Test
    void refusesADirectoryOfAnotherMajorVersion() throws IOException {
        start().close();
        Files.writeString(directory().version(), "15\n");

        assertThatExceptionOfType(FailureAnalyzedException.class)
                .isThrownBy(this::start)
                .satisfies(e -> assertThat(e.analysis().getDescription())
                        .contains("written by PostgreSQL 15", "brings PostgreSQL 18"));
    }

    @Test
    void refusesADirectoryWithAPartMissing() throws IOException {
        start().close();
        Files.delete(directory().path().resolve("global/pg_control"));

        assertThatExceptionOfType(FailureAnalyzedException.class)
                .isThrownBy(this::start)
                .satisfies(e -> assertThat(e.analysis().getDescription())
                        .contains("damaged", "'global/pg_control' is missing"));
    }

    @Test
    void tellsWhatPostgresSaidWhenItDoesNotStart() throws IOException {
        start().close();
        Files.writeString(directory().path().resolve("postgresql.conf"), "no_such_setting = on\n");

        assertThatExceptionOfType(FailureAnalyzedException.class)
                .isThrownBy(this::start)
                .satisfies(e -> assertThat(e.analysis().getDescription()).contains("no_such_setting"));
        assertThat(directory().postmasterPid()).doesNotExist();
    }

    private DataDirectory directory() {
        return new DataDirectory(parent.resolve("data dir"));
    }

    private EmbeddedPostgres start() {
        return EmbeddedPostgres.start(properties(directory().path()));
    }

    private static EmbeddedPostgresProperties properties(Path directory) {
        return new EmbeddedPostgresProperties(
                directory.toString(), new EmbeddedPostgresProperties.Embedded(0, Duration.ofMinutes(1)));
    }

    private static String query(EmbeddedPostgres postgres, String sql) throws SQLException {
        try (Connection connection = connect(postgres);
                var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }

    private static void execute(EmbeddedPostgres postgres, String sql) throws SQLException {
        try (Connection connection = connect(postgres);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Connection connect(EmbeddedPostgres postgres) throws SQLException {
        return DriverManager.getConnection(postgres.getJdbcUrl(), postgres.getUsername(), postgres.getPassword());
    }
}
