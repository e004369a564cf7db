package io.fila.broker.pacing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import jakarta.annotation.PreDestroy;

import io.fila.broker.message.Delivery;
import io.fila.broker.node.Node;
import io.fila.broker.pacing.Claimed.Leased;
import io.fila.broker.pacing.Dispatcher.Handover;
import io.fila.broker.throttle.Bucket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes down every delivery and every grant of permits, when it was made and which buckets it was counted in, if there is a file
 * to write to: what the history checker judges by. Each is handed to the operating system as it is made, so that a killed node
 * loses none of them but the one it was making. Safe for use by several threads.
 */
@Component
class DeliveryLogWriter {

    private static final Logger log = LoggerFactory.getLogger(DeliveryLogWriter.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String node;
    private final @Nullable Path file;
    private final long maxSize;
    private final @Nullable FileChannel channel;

    /** Whether more is written. Guarded by the writer. */
    private boolean open;

    DeliveryLogWriter(Node node, PacingProperties properties) {
        this.node = node.id().toString();
        this.maxSize = properties.deliveryLog().maxSize().toBytes();
        this.file = properties.deliveryLog().file();
        this.channel = file == null ? null : open(file);
        this.open = channel != null;
    }

    private static FileChannel open(Path file) {
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            log.info("Every delivery and every grant of permits is written to {}", file.toAbsolutePath());
            return channel;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "fila.broker.pacing.delivery-log.file: cannot write to %s; name a file in a directory that exists"
                            .formatted(file),
                    e);
        }
    }

    /** Messages were handed over. */
    void delivered(List<Handover> handovers) {
        if (channel == null || handovers.isEmpty()) {
            return;
        }
        StringBuilder lines = new StringBuilder();
        for (Handover handover : handovers) {
            for (Leased message : handover.messages()) {
                lines.append(line(message, handover)).append('\n');
            }
        }
        write(channel, lines.toString());
    }

    /** Permits of a bucket were handed over, not before {@code from} and not after {@code to}. */
    void granted(Bucket bucket, int permits, Instant from, Instant to) {
        if (channel != null) {
            write(channel, line(bucket, permits, from, to) + "\n");
        }
    }

    private synchronized void write(FileChannel to, String lines) {
        if (!open) {
            return;
        }
        try {
            if (to.size() >= maxSize) {
                open = false;
                log.warn("{} has its maximal size; nothing more is written to it", file);
                return;
            }
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(lines);
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
        } catch (IOException e) {
            open = false;
            log.error("could not write to {}; nothing more is written to it", file, e);
        }
    }

    private String line(Leased message, Handover handover) {
        Delivery delivery = message.delivery();
        Map<String, Object> line = line(message.buckets(), handover.from(), handover.to());
        line.put("queue", delivery.queue().toString());
        line.put("message", delivery.id().toString());
        line.put("attempt", delivery.attempt());
        line.put("enqueuedAt", delivery.enqueuedAt().toString());
        return JSON.writeValueAsString(line);
    }

    private String line(Bucket bucket, int permits, Instant from, Instant to) {
        Map<String, Object> line = line(List.of(bucket), from, to);
        line.put("permits", permits);
        return JSON.writeValueAsString(line);
    }

    /** What both have. */
    private Map<String, Object> line(List<Bucket> buckets, Instant from, Instant to) {
        Map<String, Object> line = new TreeMap<>();
        line.put("from", from.toString());
        line.put("to", to.toString());
        line.put("node", node);
        line.put("buckets", buckets.stream().map(DeliveryLogWriter::named).toList());
        return line;
    }

    private static Map<String, Object> named(Bucket bucket) {
        Map<String, Object> named = new TreeMap<>();
        named.put("throttle", bucket.throttle());
        List<String> key = bucket.keyValues();
        if (key != null && !key.isEmpty()) {
            named.put("key", key);
        }
        return named;
    }

    @PreDestroy
    synchronized void close() throws IOException {
        open = false;
        if (channel != null) {
            channel.close();
        }
    }
}
