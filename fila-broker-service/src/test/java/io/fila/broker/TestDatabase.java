package io.fila.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.flywaydb.core.Flyway;

/**
 * One PostgreSQL per test JVM, and a fresh, migrated database of it per call.
 *
 * <p>The migrations run once, into a template that every database is copied from, which takes tens of milliseconds.
 * The server gives up durability for speed (no {@code fsync}): a test about crashes needs a server of its own. It and
 * its files are gone when the JVM ends.
 */
public final class TestDatabase {

    private static final String TEMPLATE = "migrated";
    private static final String USER = "postgres";
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private TestDatabase() {}

    /** Creates a database with the schema in place and nothing in it; returns its JDBC URL, which includes the user. */
    public static String create() {
        String name = "test_" + NUMBER.incrementAndGet();
        execute("create database " + name + " template " + TEMPLATE);
        return Server.INSTANCE.getJdbcUrl(USER, name);
    }

    private static void execute(String sql) {
        try (var connection = Server.INSTANCE.getPostgresDatabase().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("could not run '" + sql + "' on the test server", e);
        }
    }

    /** Started by the first test that asks, not by loading the outer class. */
    private static final class Server {

        static final EmbeddedPostgres INSTANCE = start();

        private static EmbeddedPostgres start() {
            try {
                EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .setServerConfig("full_page_writes", "off")
                        .setServerConfig("shared_buffers", "128MB")
                        .setServerConfig("autovacuum_naptime", "5s")
                        .start();
                createTemplate(postgres);
                return postgres;
            } catch (IOException e) {
                throw new UncheckedIOException("could not start the test server", e);
            }
        }

        private static void createTemplate(EmbeddedPostgres postgres) {
            try (var connection = postgres.getPostgresDatabase().getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("create database " + TEMPLATE);
            } catch (SQLException e) {
                throw new IllegalStateException("could not create the template database", e);
            }
            DataSource template = postgres.getDatabase(USER, TEMPLATE);
            Flyway.configure()
                    .dataSource(template)
                    .locations("classpath:db/migration")
                    .load()
                    .migrate();
        }
    }
}
