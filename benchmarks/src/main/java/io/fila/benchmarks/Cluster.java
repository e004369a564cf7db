package io.fila.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Brokers on one database. The first, the host, brings the database, which is durable; the others use it and can be harmed without
 * harm to it.
 */
final class Cluster implements AutoCloseable {

    private final Path directory;
    private final BrokerNode host;
    private final List<BrokerNode> nodes = new ArrayList<>();

    /** Starts the host and {@code others} further nodes; all they write goes to {@code directory}. */
    Cluster(Path directory, int others, String... arguments) throws IOException {
        this.directory = directory;
        Path data = directory.resolve("data");
        List<String> hosts = new ArrayList<>(List.of(arguments));
        hosts.add("--fila.broker.data-dir=" + data);
        this.host = new BrokerNode(directory, "host", hosts);
        try {
            host.start();
            for (int i = 1; i <= others; i++) {
                List<String> joins = new ArrayList<>(List.of(arguments));
                joins.add("--spring.datasource.url=jdbc:postgresql://127.0.0.1:"
                        + Files.readString(data.resolve("fila/port")).strip() + "/fila");
                joins.add("--spring.datasource.username=fila");
                joins.add("--spring.datasource.password="
                        + Files.readString(data.resolve("fila/password")).strip());
                BrokerNode node = new BrokerNode(directory, "node-" + i, joins);
                nodes.add(node);
                node.start();
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
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
