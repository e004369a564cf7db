package io.fila.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A change of a queue's settings: what is null stays as it is. Built by {@link #builder}. The order of a queue is fixed when it is
 * created and cannot be changed.
 *
 * @param retry of which null fields stay as they are, too
 * @param removesMaxBacklog whether the bound is taken away; then {@code maxBacklog} is null
 * @param removesDeadLetterRetention whether dead letters are kept for ever; then {@code deadLetterRetention} is null
 * @param scripts of which null fields stay as they are, too
 * @param removesOnEnqueue whether there is no {@code on_enqueue} any more; then {@code scripts} has none
 * @param removesOnFailure whether there is no {@code on_failure} any more; then {@code scripts} has none
 */
public record QueueChange(
        @Nullable Duration visibilityTimeout,
        QueueSpec.@Nullable Retry retry,
        @Nullable Long maxBacklog,
        boolean removesMaxBacklog,
        @Nullable DeliveryDurability deliveryDurability,
        @Nullable Duration deadLetterRetention,
        boolean removesDeadLetterRetention,
        QueueSpec.@Nullable Scripts scripts,
        boolean removesOnEnqueue,
        boolean removesOnFailure) {

    public QueueChange {
        requireNotBoth("maxBacklog", maxBacklog, removesMaxBacklog);
        requireNotBoth("deadLetterRetention", deadLetterRetention, removesDeadLetterRetention);
        requireNotBoth("onEnqueue", scripts == null ? null : scripts.onEnqueue(), removesOnEnqueue);
        requireNotBoth("onFailure", scripts == null ? null : scripts.onFailure(), removesOnFailure);
    }

    private static void requireNotBoth(String setting, @Nullable Object given, boolean removed) {
        if (given != null && removed) {
            throw new IllegalArgumentException(
                    setting + " must be either given or removed, but was " + given + " and removed");
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The settings that are given, as those of a queue of this name. */
    QueueSpec given(String name) {
        return new QueueSpec(
                name, visibilityTimeout, retry, maxBacklog, null, deliveryDurability, deadLetterRetention, scripts);
    }

    /** Collects what is to be changed. Not for use by several threads. */
    public static final class Builder {

        private @Nullable Duration visibilityTimeout;
        private QueueSpec.@Nullable Retry retry;
        private @Nullable Long maxBacklog;
        private boolean removesMaxBacklog;
        private @Nullable DeliveryDurability deliveryDurability;
        private @Nullable Duration deadLetterRetention;
        private boolean removesDeadLetterRetention;
        private @Nullable String onEnqueue;
        private boolean removesOnEnqueue;
        private @Nullable String onFailure;
        private boolean removesOnFailure;
        private QueueSpec.@Nullable WhenScriptFails whenScriptFails;

        private Builder() {}

        public Builder visibilityTimeout(Duration timeout) {
            visibilityTimeout = timeout;
            return this;
        }

        public Builder retry(QueueSpec.Retry policy) {
            retry = policy;
            return this;
        }

        public Builder maxBacklog(long messages) {
            maxBacklog = messages;
            removesMaxBacklog = false;
            return this;
        }

        public Builder withoutMaxBacklog() {
            maxBacklog = null;
            removesMaxBacklog = true;
            return this;
        }

        public Builder deliveryDurability(DeliveryDurability durability) {
            deliveryDurability = durability;
            return this;
        }

        public Builder deadLetterRetention(Duration retention) {
            deadLetterRetention = retention;
            removesDeadLetterRetention = false;
            return this;
        }

        /** Dead letters are kept for ever. */
        public Builder withoutDeadLetterRetention() {
            deadLetterRetention = null;
            removesDeadLetterRetention = true;
            return this;
        }

        /** Lua that defines {@code on_enqueue}; it is run for messages that are enqueued from now on. */
        public Builder onEnqueue(String script) {
            onEnqueue = script;
            removesOnEnqueue = false;
            return this;
        }

        public Builder withoutOnEnqueue() {
            onEnqueue = null;
            removesOnEnqueue = true;
            return this;
        }

        /** Lua that defines {@code on_failure}. */
        public Builder onFailure(String script) {
            onFailure = script;
            removesOnFailure = false;
            return this;
        }

        public Builder withoutOnFailure() {
            onFailure = null;
            removesOnFailure = true;
            return this;
        }

        public Builder whenScriptFails(QueueSpec.WhenScriptFails policy) {
            whenScriptFails = policy;
            return this;
        }

        public QueueChange build() {
            return new QueueChange(
                    visibilityTimeout,
                    retry,
                    maxBacklog,
                    removesMaxBacklog,
                    deliveryDurability,
                    deadLetterRetention,
                    removesDeadLetterRetention,
                    new QueueSpec.Scripts(onEnqueue, onFailure, whenScriptFails),
                    removesOnEnqueue,
                    removesOnFailure);
        }
    }
}
