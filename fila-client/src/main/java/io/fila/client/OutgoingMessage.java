package io.fila.client;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A message to send. What it could never be stored with (a weight out of range, both a delay and an instant, an id that is no
 * UUID, a NUL in a header) is an {@link IllegalArgumentException} when it is built; sizes are the broker's to judge.
 *
 * @param headers at most 64, 16 KiB together
 * @param fairnessKey null: the unkeyed group; the empty string is a key of its own
 * @param weight of the fairness group, 1 to 1,000
 * @param delay keeps it back for so long; at most one of {@code delay} and {@code notBefore}
 * @param id a UUID: the same one again is a duplicate while the first is in the queue; null: the broker chooses
 */
public record OutgoingMessage(
        Payload payload,
        Map<String, String> headers,
        @Nullable String fairnessKey,
        int weight,
        @Nullable Duration delay,
        @Nullable Instant notBefore,
        @Nullable String id) {

    private static final Pattern UUID_FORM = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

    /** Checks what needs no broker to be wrong. */
    public OutgoingMessage {
        Objects.requireNonNull(payload, "payload must not be null");
        headers = Map.copyOf(headers);
        headers.forEach((name, value) -> {
            requireStorable("header name", name);
            requireStorable("value of header '" + name + "'", value);
        });
        if (fairnessKey != null) {
            requireStorable("fairnessKey", fairnessKey);
        }
        if (weight < 1 || weight > 1_000) {
            throw new IllegalArgumentException("weight must be 1 to 1000, but was " + weight);
        }
        if (delay != null && notBefore != null) {
            throw new IllegalArgumentException("at most one of delay and notBefore may be set, but delay was " + delay
                    + " and notBefore " + notBefore);
        }
        if (delay != null && delay.isNegative()) {
            throw new IllegalArgumentException("delay must not be negative, but was " + delay);
        }
        if (id != null && !UUID_FORM.matcher(id).matches()) {
            throw new IllegalArgumentException(
                    "id must be a UUID such as " + new UUID(0, 1) + ", but was '" + id + "'");
        }
    }

    /** Text that a database cannot hold would otherwise arrive changed. */
    private static void requireStorable(String what, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (c == 0 || (Character.isSurrogate(c) && !pair)) {
                throw new IllegalArgumentException(what + " must be valid Unicode without NUL, but has U+"
                        + String.format("%04X", (int) c) + " at index " + i);
            }
            if (pair) {
                i++;
            }
        }
    }

    public static Builder of(Payload payload) {
        return new Builder(payload);
    }

    /** A text message without headers. */
    public static OutgoingMessage text(String text) {
        return of(Payload.text(text)).build();
    }

    /** Builds a message; not for use by several threads. */
    public static final class Builder {

        private final Payload payload;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable String fairnessKey;
        private int weight = 1;
        private @Nullable Duration delay;
        private @Nullable Instant notBefore;
        private @Nullable String id;

        private Builder(Payload payload) {
            this.payload = payload;
        }

        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        public Builder headers(Map<String, String> more) {
            headers.putAll(more);
            return this;
        }

        public Builder fairnessKey(@Nullable String key) {
            fairnessKey = key;
            return this;
        }

        public Builder weight(int weight) {
            this.weight = weight;
            return this;
        }

        public Builder delay(@Nullable Duration delay) {
            this.delay = delay;
            return this;
        }

        public Builder notBefore(@Nullable Instant notBefore) {
            this.notBefore = notBefore;
            return this;
        }

        public Builder id(@Nullable String id) {
            this.id = id;
            return this;
        }

        public OutgoingMessage build() {
            return new OutgoingMessage(payload, headers, fairnessKey, weight, delay, notBefore, id);
        }
    }
}
