package io.fila.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
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
 * line a delivery, or a grant of permits.
 *
 * <pre>{@code
 * {"from":"2026-11-30T12:00:00.000123Z","to":"2026-11-30T12:00:00.000218Z","node":"…","queue":"orders","message":"…",
 *  "attempt":1,"enqueuedAt":"2026-11-30T11:59:59.5Z","buckets":[{"throttle":"stripe","key":["acme"]}]}
 * {"from":"2026-11-30T12:00:00.000301Z","to":"2026-11-30T12:00:00.000342Z","node":"…","permits":5,
 *  "buckets":[{"throttle":"stripe","key":["acme"]}]}
 * }</pre>
 */
public final class DeliveryLog {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private DeliveryLog() {}

    /**
     * Reads the logs of several nodes, in the order in which it was handed over. A last line that is cut off, as a killed node may
     * leave it, is passed over.
     *
     * @throws IOException if a file cannot be read, or has a line that is neither a delivery nor a grant: names file and line
     */
    public static List<Counted> read(Collection<Path> files) throws IOException {
        List<Counted> all = new ArrayList<>();
        for (Path file : files) {
            read(file, all);
        }
        all.sort(Comparator.comparing(Counted::from));
        return all;
    }

    /** The deliveries alone of what {@link #read} reads: for a look at queues and messages, not at what buckets counted. */
    public static List<DeliveredMessage> deliveries(Collection<Path> files) throws IOException {
        return read(files).stream()
                .filter(DeliveredMessage.class::isInstance)
                .map(DeliveredMessage.class::cast)
                .toList();
    }

    private static void read(Path file, List<Counted> all) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            int number = 0;
            String line = reader.readLine();
            while (line != null) {
                number++;
                String next = reader.readLine();
                try {
                    all.add(parse(JSON.readTree(line)));
                } catch (JacksonException | Malformed e) {
                    if (next != null) {
                        throw new IOException(
                                "%s, line %d is no delivery and no grant of permits: %s"
                                        .formatted(file, number, e.getMessage()),
                                e);
                    }
                }
                line = next;
            }
        }
    }

    /** A line that is JSON but not of these forms. */
    private static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Malformed(Throwable cause) {
            super(cause.getMessage(), cause);
        }

        Malformed(String message) {
            super(message);
        }
    }

    private static Counted parse(JsonNode line) {
        try {
            return line.has("permits") ? grant(line) : delivery(line);
        } catch (DateTimeParseException e) {
            throw new Malformed(e);
        }
    }

    private static GrantedPermits grant(JsonNode line) {
        return new GrantedPermits(
                Instant.parse(text(line, "from")),
                Instant.parse(text(line, "to")),
                text(line, "node"),
                permits(line.required("permits")),
                buckets(line));
    }

    private static int permits(JsonNode permits) {
        if (!permits.isIntegralNumber() || !permits.canConvertToInt() || permits.intValue() < 1) {
            throw new Malformed(
                    "permits: expected a whole number from 1 to %d, got %s".formatted(Integer.MAX_VALUE, permits));
        }
        return permits.intValue();
    }

    private static DeliveredMessage delivery(JsonNode line) {
        return new DeliveredMessage(
                Instant.parse(text(line, "from")),
                Instant.parse(text(line, "to")),
                text(line, "node"),
                text(line, "queue"),
                text(line, "message"),
                line.required("attempt").asInt(),
                Instant.parse(text(line, "enqueuedAt")),
                buckets(line));
    }

    private static List<BucketName> buckets(JsonNode line) {
        List<BucketName> buckets = new ArrayList<>();
        for (JsonNode bucket : line.required("buckets")) {
            buckets.add(new BucketName(text(bucket, "throttle"), key(bucket)));
        }
        return List.copyOf(buckets);
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
