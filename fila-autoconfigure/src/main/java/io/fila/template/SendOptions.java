package io.fila.template;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How a message is sent; immutable.
 *
 * @param headers at most 64, 16 KiB together; none unless set
 * @param fairnessKey null: the unkeyed group; the empty string is a key of its own
 * @param weight of the fairness group, 1 to 1,000; 1 unless set
 * @param delay keeps the message back for so long; at most one of {@code delay} and {@code notBefore}
 * @param notBefore keeps the message back until then
 * @param id a UUID: the same one again is a duplicate while the first is in the queue; null: the broker chooses
 */
public record SendOptions(
        Map<String, String> headers,
        @Nullable String fairnessKey,
        int weight,
        @Nullable Duration delay,
        @Nullable Instant notBefore,
        @Nullable String id) {

    private static final SendOptions NONE = builder().build();

    public SendOptions {
        headers = Map.copyOf(headers);
        if (weight < 1 || weight > 1000) {
            throw new IllegalArgumentException("weight is " + weight + "; use 1 to 1000");
        }
        if (delay != null && delay.isNegative()) {
            throw new IllegalArgumentException("delay is " + delay + "; use zero or more");
        }
        if (delay != null && notBefore != null) {
            throw new IllegalArgumentException("both delay and notBefore are set; set at most one");
        }
    }

    /** Nothing special. */
    public static SendOptions none() {
        return NONE;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Builds options; not for use by several threads. */
    public static final class Builder {

        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable String fairnessKey;
        private int weight = 1;
        private @Nullable Duration delay;
        private @Nullable Instant notBefore;
        private @Nullable String id;

        private Builder() {}

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

        public Builder notBefore(@Nullable Instant instant) {
            notBefore = instant;
            return this;
        }

        public Builder id(@Nullable String id) {
            this.id = id;
            return this;
        }

        public SendOptions build() {
            return new SendOptions(headers, fairnessKey, weight, delay, notBefore, id);
        }
    }
}
