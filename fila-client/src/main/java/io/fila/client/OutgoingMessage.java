package io.fila.client;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message to send.
 *
 * @param headers at most 64, 16 KiB together
 * @param fairnessKey null: the unkeyed group; the empty string is a key of its own
 * @param weight of the fairness group, 1 to 1,000
 * @param delay keeps it back for so long; at most one of {@code delay} and {@code notBefore}
 * @param id a UUID that makes sending again safe; null: the broker chooses
 */
public record OutgoingMessage(
        Payload payload,
        Map<String, String> headers,
        @Nullable String fairnessKey,
        int weight,
        @Nullable Duration delay,
        @Nullable Instant notBefore,
        @Nullable String id) {

    public OutgoingMessage {
        headers = Map.copyOf(headers);
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
