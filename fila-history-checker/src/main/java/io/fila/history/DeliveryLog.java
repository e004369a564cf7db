package io.fila.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads delivery logs: what a broker node writes to {@code fila.broker.pacing.delivery-log.file}, one JSON object a line and one
 * line a delivery.
 *
 * <pre>{@code
 * {"from":"2026-11-30T12:00:00.000123Z","to":"2026-11-30T12:00:00.000218Z","node":"…","queue":"orders","message":"…",
 *  "attempt":1,"enqueuedAt":"2026-11-30T11:59:59.5Z","buckets":[{"throttle":"stripe","key":["acme"]}]}
 * }</pre>
 */
public final class DeliveryLog {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private DeliveryLog() {}

    /**
     * Reads the logs of several nodes, in the order of delivery. A last line that is cut off, as a killed node may leave it, is passed
     * over.
     *
     * @throws IOException if a file cannot be read, or has a line that is no delivery: names file and line
     */
    public static List<DeliveredMessage> read(Collection<Path> files) throws IOException {
        List<DeliveredMessage> deliveries = new ArrayList<>();
        for (Path file : files) {
            read(file, deliveries);
        }
        deliveries.sort(Comparator.comparing(DeliveredMessage::from));
        return deliveries;
    }

    private static void read(Path file, List<DeliveredMessage> deliveries) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            int number = 0;
            String line = reader.readLine();
            while (line != null) {
                number++;
                String next = reader.readLine();
                try {
                    deliveries.add(parse(JSON.readTree(line)));
                } catch (JacksonException | NoDelivery e) {
                    if (next != null) {
                        throw new IOException(
                                "%s, line %d is no delivery: %s".formatted(file, number, e.getMessage()), e);
                    }
                }
                line = next;
            }
        }
    }

    /** A line that is JSON but not of this form. */
    private static final class NoDelivery extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoDelivery(Throwable cause) {
            super(cause.getMessage(), cause);
        }
    }

    private static DeliveredMessage parse(JsonNode line) {
        try {
            List<BucketName> buckets = new ArrayList<>();
            for (JsonNode bucket : line.required("buckets")) {
                buckets.add(new BucketName(text(bucket, "throttle"), key(bucket)));
            }
            return new DeliveredMessage(
                    Instant.parse(text(line, "from")),
                    Instant.parse(text(line, "to")),
                    text(line, "node"),
                    text(line, "queue"),
                    text(line, "message"),
                    line.required("attempt").asInt(),
                    Instant.parse(text(line, "enqueuedAt")),
                    List.copyOf(buckets));
        } catch (java.time.format.DateTimeParseException e) {
            throw new NoDelivery(e);
        }
    }

    private static @Nullable List<String> key(JsonNode bucket) {
        JsonNode values = bucket.path("key");
        if (values.isMissingNode() || values.isNull()) {
            return null;
        }
        List<String> key = new ArrayList<>();
        values.forEach(value -> key.add(value.asString()));
        return List.copyOf(key);
    }

    private static String text(JsonNode object, String field) {
        return object.required(field).asString();
    }
}
