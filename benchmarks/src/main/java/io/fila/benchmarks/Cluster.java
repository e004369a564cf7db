package io.fila.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Brokers on one database. The first, the host, brings the database, which is durable; the others use it and can be harmed without
 * harm to it.
 */
final class Cluster implements AutoCloseable {

    private static final String USER = "fila";

    private final Path directory;
    private final BrokerNode host;
    private final List<BrokerNode> nodes = new ArrayList<>();

    /** Starts the host and {@code others} further nodes; all they write goes to {@code directory}. */
    Cluster(Path directory, int others) throws IOException {
        this(directory, others, true);
    }

    private Cluster(Path directory, int others, boolean logsDeliveries) throws IOException {
        this.directory = directory;
        Path data = directory.resolve("data");
        this.host = new BrokerNode(directory, "host", logsDeliveries, List.of("--fila.broker.data-dir=" + data));
        try {
            host.start();
            for (int i = 1; i <= others; i++) {
                BrokerNode node = new BrokerNode(
                        directory,
                        "node-" + i,
                        logsDeliveries,
                        List.of(
                                "--spring.datasource.url=" + url(),
                                "--spring.datasource.username=" + USER,
                                "--spring.datasource.password=" + password()));
                nodes.add(node);
                node.start();
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** For what is measured without the work of writing down every delivery. */
    static Cluster withoutDeliveryLog(Path directory, int others) throws IOException {
        return new Cluster(directory, others, false);
    }

    /** A connection to the database, to be closed by the caller. */
    Connection connect() throws IOException, SQLException {
        return DriverManager.getConnection(url(), USER, password());
    }

    private String url() throws IOException {
        return "jdbc:postgresql://127.0.0.1:"
                + Files.readString(directory.resolve("data/fila/port")).strip() + "/fila";
    }

    private String password() throws IOException {
        return Files.readString(directory.resolve("data/fila/password")).strip();
    }

    BrokerNode host() {
        return host;
    }

    /** Those besides the host. */
    List<BrokerNode> nodes() {
        return nodes;
    }

    /** The process of the database's server. */
    long postmaster() throws IOException {
        return Long.parseLong(Files.readAllLines(directory.resolve("data/postmaster.pid"))
                .get(0)
                .strip());
    }

    /** What all processes of the database's server have used of the CPU, in user and system mode. Linux. */
    long databaseCpuMillis() throws IOException {
        long postmaster = postmaster();
        long ticks = 0;
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                try {
                    String stat = Files.readString(process.resolve("stat"));
                    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                    boolean isItsOwn = process.getFileName().toString().equals(Long.toString(postmaster));
                    if (isItsOwn || Long.parseLong(fields[1]) == postmaster) {
                        // user and system time, and those of children that have ended
                        for (int field = 11; field <= 14; field++) {
                            ticks += Long.parseLong(fields[field]);
                        }
                    }
                } catch (IOException e) {
                    // it has ended
                }
            }
        }
        return ticks * 10;
    }

    /** Of all that have written one. */
    List<Path> deliveryLogs() throws IOException {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".ndjson")).toList();
        }
    }

    @Override
    public void close() throws IOException {
        for (BrokerNode node : nodes) {
            node.close();
        }
        host.close();
    }
}
