package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

import io.fila.broker.BrokerProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The packaged broker with its embedded database, started, killed and stopped as an operator would. */
class BrokerLifecycleIT {

    @TempDir
    Path home;

    @AfterEach
    void stopWhatAFailureLeft() {
        DataDirectory directory = directory();
        if (directory.holdsCluster()) {
            EmbeddedPostgres.start(properties()).close();
        }
    }

    @Test
    void losesNothingWhenItIsKilledAndLeavesNothingWhenItIsStopped() throws Exception {
        ProcessHandle orphan;
        try (BrokerProcess broker = BrokerProcess.start(home).awaitReady()) {
            assertThat(broker.output())
                    .contains("keeps its data in " + directory().path().toRealPath());
            assertThat(broker.output())
                    .doesNotContain(DataDirectory.read(directory().password()));
            execute("create table kept (id int)");
            orphan = postmaster();
            broker.kill();
        }
        assertThat(Postmaster.isRunning(orphan)).isTrue();

        try (BrokerProcess broker = BrokerProcess.start(home).awaitReady()) {
            assertThat(Postmaster.isRunning(orphan)).isFalse();
            assertThat(broker.output()).contains("process " + orphan.pid());
            execute("insert into kept values (1)");
            ProcessHandle server = postmaster();

            broker.terminate();

            broker.awaitExit();
            assertThat(Postmaster.isRunning(server)).isFalse();
            assertThat(directory().postmasterPid()).doesNotExist();
            // what used the database was done with it before it stopped
            assertThat(broker.output()).doesNotContain("ERROR").doesNotContain("PSQLException");
        }
    }

    @Test
    void refusesASecondBrokerOnTheSameDirectory() throws Exception {
        try (EmbeddedPostgres first = EmbeddedPostgres.start(properties());
                BrokerProcess second = BrokerProcess.start(home)) {
            assertThat(second.awaitExit()).isEqualTo(1);

            assertThat(second.output())
                    .contains("APPLICATION FAILED TO START", "is in use by another broker")
                    .contains("Set fila.broker.data-dir to another directory or spring.datasource.url")
                    .doesNotContain("\tat ");
            assertThat(DriverManager.getConnection(first.getJdbcUrl(), first.getUsername(), first.getPassword()))
                    .satisfies(connection -> {
                        assertThat(connection.isValid(5)).isTrue();
                        connection.close();
                    });
        }
    }

    /** The default, below the working directory. */
    private DataDirectory directory() {
        return new DataDirectory(home.resolve(".fila/data"));
    }

    private EmbeddedPostgresProperties properties() {
        return new EmbeddedPostgresProperties(
                directory().path().toString(), new EmbeddedPostgresProperties.Embedded(0, Duration.ofMinutes(1)));
    }

    private ProcessHandle postmaster() throws IOException {
        String pid = Files.readAllLines(directory().postmasterPid()).get(0);
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    private void execute(String sql) throws SQLException {
        String url = "jdbc:postgresql://127.0.0.1:%s/fila"
                .formatted(DataDirectory.read(directory().port()));
        String password = DataDirectory.read(directory().password());
        try (var connection = DriverManager.getConnection(url, Cluster.USER, password);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
