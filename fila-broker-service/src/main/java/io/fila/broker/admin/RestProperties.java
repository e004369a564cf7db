package io.fila.broker.admin;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * How much the REST API takes on at a time.
 *
 * @param maxEnqueueBody the largest body of an enqueue: room for the payloads of one request in base64
 * @param maxBody the largest body of any other request
 * @param maxBodiesTogether the most that bodies of requests which are being worked on may come to
 * @param threads how many requests may work on the database at the same time: fewer than it has connections, which deliveries
 *     and the sign of life of this node need, too
 * @param queueCapacity how many more may wait for one of those threads before requests are refused
 */
@ConfigurationProperties("fila.broker.rest")
record RestProperties(
        @DefaultValue("48MB") DataSize maxEnqueueBody,
        @DefaultValue("256KB") DataSize maxBody,
        @DefaultValue("128MB") DataSize maxBodiesTogether,
        @DefaultValue("8") int threads,
        @DefaultValue("256") int queueCapacity) {

    RestProperties {
        requireBodySize("max-enqueue-body", maxEnqueueBody);
        requireBodySize("max-body", maxBody);
        Assert.isTrue(
                maxBodiesTogether.compareTo(maxEnqueueBody) >= 0,
                () -> "fila.broker.rest.max-bodies-together: expected at least max-enqueue-body (%s), got %s"
                        .formatted(maxEnqueueBody, maxBodiesTogether));
        Assert.isTrue(threads >= 1, () -> "fila.broker.rest.threads: expected at least 1, got " + threads);
        Assert.isTrue(
                queueCapacity >= 1, () -> "fila.broker.rest.queue-capacity: expected at least 1, got " + queueCapacity);
    }

    private static void requireBodySize(String name, DataSize size) {
        Assert.isTrue(
                size.toBytes() >= 1024 && size.toBytes() <= 1 << 30,
                () -> "fila.broker.rest.%s: expected 1KB to 1GB, got %s".formatted(name, size));
    }
}
