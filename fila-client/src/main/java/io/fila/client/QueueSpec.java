package io.fila.client;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A queue and its settings; null settings take the broker's defaults. Built by {@link #builder}.
 *
 * @param visibilityTimeout how long a delivery is leased (30 s)
 * @param retry what follows a failed attempt (3 attempts, from 1 s, doubled, at most 1 min)
 * @param maxBacklog enqueue is refused above so many waiting messages (no bound)
 * @param ordering the order that is kept; fixed when the queue is created, null then leaves it as it is (none)
 * @param deliveryDurability what is on disk before a message leaves (its lease)
 * @param deadLetterRetention how long the queue's dead letters are kept (for ever)
 * @param scripts what the broker runs for its messages (none)
 */
public record QueueSpec(
        String name,
        @Nullable Duration visibilityTimeout,
        @Nullable Retry retry,
        @Nullable Long maxBacklog,
        @Nullable Ordering ordering,
        @Nullable DeliveryDurability deliveryDurability,
        @Nullable Duration deadLetterRetention,
        @Nullable Scripts scripts) {

    /**
     * Lua that the broker runs for a queue's messages. Null fields take the broker's defaults: no script, and a message that one fails
     * for is refused.
     *
     * @param onEnqueue defines {@code on_enqueue}, which classifies every message that is enqueued
     * @param onFailure defines {@code on_failure}, which says what becomes of a message whose attempt failed
     * @param whenScriptFails what becomes of a message that {@code on_enqueue} fails for
     */
    public record Scripts(
            @Nullable String onEnqueue,
            @Nullable String onFailure,
            @Nullable WhenScriptFails whenScriptFails) {}

    /**
     * What becomes of a message that {@code on_enqueue} fails for.
     *
     * @param deadLetterAfter a parked message goes to the dead letter queue after so many failed tries; null: it is tried for ever
     */
    public record WhenScriptFails(Policy policy, @Nullable Integer deadLetterAfter) {

        public enum Policy {
            /** Sending it fails with {@code script-failed} or {@code script-timed-out}. */
            REJECT,
            /** It is stored as unclassified, and tried again. */
            PARK
        }

        /** Messages are refused. */
        public static WhenScriptFails reject() {
            return new WhenScriptFails(Policy.REJECT, null);
        }

        /** Messages are kept, and tried again for ever. */
        public static WhenScriptFails park() {
            return new WhenScriptFails(Policy.PARK, null);
        }
    }

    /** Null fields take the broker's defaults. */
    public record Retry(
            @Nullable Integer maxAttempts,
            @Nullable Duration initialBackoff,
            @Nullable Double multiplier,
            @Nullable Duration maxBackoff,
            @Nullable Double jitter) {}

    /**
     * Of each ordering group at most one message is in flight: the next goes when it is acknowledged or dead-lettered.
     *
     * @param key {@code header:NAME}, {@code attribute:NAME}, {@code fairnessKey}: messages with equal values are a group; empty: the
     *     whole queue is one
     */
    public record Ordering(List<String> key, WhenKeyMissing whenKeyMissing) {

        /** What becomes of a message that lacks a component of the key. */
        public enum WhenKeyMissing {
            /** Sending it fails with {@code ordering-key-missing}. */
            REJECT,
            /** It goes in no order, beside the groups. */
            UNORDERED
        }

        public Ordering {
            key = List.copyOf(key);
        }

        /** Ordered by these components; a message that lacks one is refused. None: the whole queue is one group. */
        public static Ordering by(String... key) {
            return new Ordering(List.of(key), WhenKeyMissing.REJECT);
        }
    }

    /** A queue without scripts. */
    public QueueSpec(
            String name,
            @Nullable Duration visibilityTimeout,
            @Nullable Retry retry,
            @Nullable Long maxBacklog,
            @Nullable Ordering ordering,
            @Nullable DeliveryDurability deliveryDurability,
            @Nullable Duration deadLetterRetention) {
        this(name, visibilityTimeout, retry, maxBacklog, ordering, deliveryDurability, deadLetterRetention, null);
    }

    /** A queue with these settings, and else defaults. */
    public QueueSpec(
            String name, @Nullable Duration visibilityTimeout, @Nullable Retry retry, @Nullable Long maxBacklog) {
        this(name, visibilityTimeout, retry, maxBacklog, null, null, null, null);
    }

    /** A queue with default settings. */
    public static QueueSpec of(String name) {
        return builder(name).build();
    }

    public static Builder builder(String name) {
        return new Builder(name);
    }

    /** Collects the settings of a queue; what is not given takes the broker's default. Not for use by several threads. */
    public static final class Builder {

        private final String name;
        private @Nullable Duration visibilityTimeout;
        private @Nullable Retry retry;
        private @Nullable Long maxBacklog;
        private @Nullable Ordering ordering;
        private @Nullable DeliveryDurability deliveryDurability;
        private @Nullable Duration deadLetterRetention;
        private @Nullable Scripts scripts;

        private Builder(String name) {
            this.name = name;
        }

        public Builder visibilityTimeout(Duration timeout) {
            visibilityTimeout = timeout;
            return this;
        }

        public Builder retry(Retry policy) {
            retry = policy;
            return this;
        }

        public Builder maxBacklog(long messages) {
            maxBacklog = messages;
            return this;
        }

        public Builder ordering(Ordering order) {
            ordering = order;
            return this;
        }

        public Builder deliveryDurability(DeliveryDurability durability) {
            deliveryDurability = durability;
            return this;
        }

        public Builder deadLetterRetention(Duration retention) {
            deadLetterRetention = retention;
            return this;
        }

        public Builder scripts(Scripts queueScripts) {
            scripts = queueScripts;
            return this;
        }

        public QueueSpec build() {
            return new QueueSpec(
                    name,
                    visibilityTimeout,
                    retry,
                    maxBacklog,
                    ordering,
                    deliveryDurability,
                    deadLetterRetention,
                    scripts);
        }
    }
}
