package io.fila.broker;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import io.fila.broker.jdbc.Database;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.Environment;

import static org.awaitility.Awaitility.await;

/** What PostgreSQL does about a node that has been stopped in the middle of a transaction. */
class StalledNodeIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** An answer that it cannot send kept the session busy, which is not idle, and its locks held. */
    @Test
    void losesItsLocksWhenItDoesNotTakeTheAnswerToAStatement() throws IOException {
        String url = TestDatabase.create();
        try (TestBroker broker = TestBroker.start(url);
                Socket node = new Socket()) {
            String options = broker.bean(Environment.class)
                    .getRequiredProperty("spring.datasource.hikari.data-source-properties.options");
            URI server = URI.create(url.substring("jdbc:".length()));
            node.setReceiveBufferSize(4_096);
            node.connect(new InetSocketAddress(server.getHost(), server.getPort()));
            DataOutputStream out = new DataOutputStream(node.getOutputStream());
            logOn(out, server.getPath().substring(1), options);
            query(out, """
                    begin;
                    select pg_advisory_xact_lock(7777);
                    select repeat('x', 1000) from generate_series(1, 100000);
                    """);
            await().atMost(PATIENCE).until(() -> locks(broker) == 1);

            await().atMost(PATIENCE).until(() -> locks(broker) == 0);
        }
    }

    private static long locks(TestBroker broker) {
        return broker.bean(Database.class).run("count locks", connection -> {
            try (var statement = connection.createStatement();
                    var row = statement.executeQuery(
                            "select count(*) from pg_locks where locktype = 'advisory' and objid = 7777")) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    private static void logOn(DataOutputStream out, String database, String options) throws IOException {
        ByteArrayOutputStream parameters = new ByteArrayOutputStream();
        for (String text : List.of("user", "postgres", "database", database, "options", options, "")) {
            parameters.writeBytes(text.getBytes(StandardCharsets.UTF_8));
            parameters.write(0);
        }
        out.writeInt(8 + parameters.size());
        // protocol 3.0
        out.writeInt(3 << 16);
        parameters.writeTo(out);
    }

    private static void query(DataOutputStream out, String sql) throws IOException {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        out.write('Q');
        out.writeInt(4 + text.length + 1);
        out.write(text);
        out.write(0);
        out.flush();
    }
}
