package io.fila.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;

/** Kills and stalls the nodes of a cluster at random, for shorter and for longer than a token lives, and for longer than a node may. */
final class Harm {

    private final Cluster cluster;
    private final Random random;

    Harm(Cluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
    }

    /** Harms one node, and waits a while. */
    void once() throws IOException {
        BrokerNode node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
        int kind = random.nextInt(10);
        if (kind < 3) {
            System.out.print("k");
            node.kill();
            Pause.of(Duration.ofMillis(random.nextInt(2_000)));
            node.start();
        } else if (kind < 9) {
            System.out.print("s");
            node.stall(Duration.ofMillis(100 + random.nextInt(1_400)));
        } else {
            System.out.print("S");
            node.stall(Duration.ofMillis(6_000 + random.nextInt(4_000)));
        }
        System.out.flush();
        Pause.of(Duration.ofMillis(500 + random.nextInt(3_000)));
    }
}
