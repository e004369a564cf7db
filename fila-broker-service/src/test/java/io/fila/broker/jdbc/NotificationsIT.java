package io.fila.broker.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.OwnPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

import static org.awaitility.Awaitility.await;

class NotificationsIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** It went on reading, and nobody was told that signals had been missed, until the operating system gave the connection up. */
    @Test
    void listensAnewWhenTheServerDoesNotAnswerAnyMore(@TempDir Path directory) {
        try (OwnPostgres server = OwnPostgres.start(directory)) {
            AtomicInteger connected = new AtomicInteger();
            AtomicInteger interrupted = new AtomicInteger();
            PGSimpleDataSource source = new PGSimpleDataSource() {
                @Override
                public Connection getConnection() throws SQLException {
                    connected.incrementAndGet();
                    return super.getConnection();
                }
            };
            source.setURL(server.url());
            source.setLoginTimeout(2);
            try (Notifications notifications = new Notifications("test", new Database(source), source)) {
                notifications.listen(text -> {}, interrupted::incrementAndGet);
                await().atMost(PATIENCE).until(() -> interrupted.get() == 1);

                server.freeze();
                await().atMost(PATIENCE).until(() -> connected.get() > 1);
                server.thaw();

                await().atMost(PATIENCE).until(() -> interrupted.get() == 2);
            }
        }
    }
}
