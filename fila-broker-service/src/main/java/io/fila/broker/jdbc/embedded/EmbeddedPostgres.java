package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** A running PostgreSQL of the broker's own, and how to connect to it. Closing it stops the server. */
final class EmbeddedPostgres implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);
    private static final String DATABASE = "fila";

    private final DirectoryLock lock;
    private final Supervisor supervisor;
    private final int port;
    private final String password;

    private EmbeddedPostgres(DirectoryLock lock, Supervisor supervisor, int port, String password) {
        this.lock = lock;
        this.supervisor = supervisor;
        this.port = port;
        this.password = password;
    }

    static EmbeddedPostgres start(EmbeddedPostgresProperties properties) {
        DataDirectory directory = new DataDirectory(properties.directory());
        directory.create();
        DirectoryLock lock = DirectoryLock.acquire(directory);
        try {
            EmbeddedPostgres postgres = start(directory, lock, properties.embedded());
            log.info("Embedded PostgreSQL keeps its data in {}; {}", directory.path(), postgres.getJdbcUrl());
            return postgres;
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static EmbeddedPostgres start(
            DataDirectory directory, DirectoryLock lock, EmbeddedPostgresProperties.Embedded settings) {
        Programs programs = Programs.in(Binaries.unpack(directory, Platform.current()), directory);
        Postmaster postmaster = new Postmaster(directory, programs);
        OrphanedPostmaster.stop(directory, postmaster);
        new Cluster(directory, programs).ensure();
        int port = settings.port() == 0 ? freePort(directory) : settings.port();
        Supervisor supervisor = new Supervisor(postmaster, port, settings.startTimeout());
        supervisor.start();
        EmbeddedPostgres postgres =
                new EmbeddedPostgres(lock, supervisor, port, DataDirectory.read(directory.password()));
        try {
            postgres.createDatabase();
            Files.writeString(directory.port(), Integer.toString(port));
            return postgres;
        } catch (SQLException e) {
            supervisor.stop();
            throw new IllegalStateException("could not create the database '" + DATABASE + "'", e);
        } catch (IOException e) {
            supervisor.stop();
            throw new UncheckedIOException("could not remember the port in " + directory.port(), e);
        }
    }

    /** The port of the last time, so that tools find the server where they left it, or any other. */
    private static int freePort(DataDirectory directory) {
        try {
            String last = Files.exists(directory.port()) ? DataDirectory.read(directory.port()) : "";
            return probe(last.matches("\\d{1,5}") ? Integer.parseInt(last) : 0);
        } catch (IOException | IllegalArgumentException takenOrDamaged) {
            try {
                return probe(0);
            } catch (IOException e) {
                throw new UncheckedIOException("could not find a free port on 127.0.0.1", e);
            }
        }
    }

    private static int probe(int port) throws IOException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        try (ServerSocket socket = new ServerSocket(port, 1, loopback)) {
            return socket.getLocalPort();
        }
    }

    private void createDatabase() throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl("postgres"), getUsername(), password);
                Statement statement = connection.createStatement();
                var found = statement.executeQuery("select from pg_database where datname = '" + DATABASE + "'")) {
            if (!found.next()) {
                statement.execute("create database " + DATABASE);
            }
        }
    }

    private String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database);
    }

    @Override
    public String getJdbcUrl() {
        return jdbcUrl(DATABASE);
    }

    @Override
    public String getUsername() {
        return Cluster.USER;
    }

    @Override
    public String getPassword() {
        return password;
    }

    @Override
    public void close() {
        try {
            supervisor.stop();
        } finally {
            lock.close();
        }
    }
}
