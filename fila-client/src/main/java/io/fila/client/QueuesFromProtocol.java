package io.fila.client;

import io.fila.client.QueueSpec.Ordering.WhenKeyMissing;
import io.fila.client.QueueStats.PausedScript;
import io.fila.client.QueueStats.ThrottleInForce;
import io.fila.protocol.v1.Ordering;
import io.fila.protocol.v1.OrderingKeyMissing;
import io.fila.protocol.v1.Queue;
import io.fila.protocol.v1.QueueSettings;
import io.fila.protocol.v1.RedriveQueueResponse;
import io.fila.protocol.v1.RetryPolicy;
import io.fila.protocol.v1.ScriptFailurePolicy;
import io.fila.protocol.v1.Throttle;
import io.fila.protocol.v1.WhenScriptFails;
import org.jspecify.annotations.Nullable;

/** Queues and what is in them as public types. */
final class QueuesFromProtocol {

    private QueuesFromProtocol() {}

    static QueueDescription description(Queue queue) {
        return new QueueDescription(settings(queue), queue.getPaused(), stats(queue.getStats()));
    }

    static QueueSpec settings(Queue queue) {
        QueueSettings settings = queue.getSettings();
        return new QueueSpec(
                queue.getName(),
                FromProtocol.duration(settings.getVisibilityTimeout()),
                retry(settings.getRetry()),
                settings.hasMaxBacklog() ? settings.getMaxBacklog() : null,
                settings.hasOrdering() ? ordering(settings.getOrdering()) : null,
                durability(settings.getDeliveryDurability()),
                settings.hasDeadLetterRetention() ? FromProtocol.duration(settings.getDeadLetterRetention()) : null,
                scripts(settings));
    }

    /** Null if the queue has none. */
    private static QueueSpec.@Nullable Scripts scripts(QueueSettings settings) {
        if (!settings.hasOnEnqueue() && !settings.hasOnFailure()) {
            return null;
        }
        WhenScriptFails whenScriptFails = settings.getWhenScriptFails();
        boolean parks = whenScriptFails.getPolicy() == ScriptFailurePolicy.SCRIPT_FAILURE_POLICY_PARK;
        return new QueueSpec.Scripts(
                settings.hasOnEnqueue() ? settings.getOnEnqueue() : null,
                settings.hasOnFailure() ? settings.getOnFailure() : null,
                new QueueSpec.WhenScriptFails(
                        parks ? QueueSpec.WhenScriptFails.Policy.PARK : QueueSpec.WhenScriptFails.Policy.REJECT,
                        whenScriptFails.hasDeadLetterAfter() ? whenScriptFails.getDeadLetterAfter() : null));
    }

    static RedriveResult redriven(RedriveQueueResponse response) {
        RedriveQueueResponse.Kept kept = response.getKept();
        return new RedriveResult(
                response.getMoved(),
                new RedriveResult.Kept(
                        kept.getUnclassified(),
                        kept.getRejected(),
                        kept.getLeased(),
                        kept.getDelayed(),
                        kept.getReady()));
    }

    static ThrottleSpec throttle(Throttle throttle) {
        return new ThrottleSpec(
                throttle.getName(),
                throttle.getLimitsList(),
                throttle.getKeyList(),
                missingKey(throttle.getWhenKeyMissing()));
    }

    private static QueueSpec.Retry retry(RetryPolicy retry) {
        return new QueueSpec.Retry(
                retry.getMaxAttempts(),
                FromProtocol.duration(retry.getInitialBackoff()),
                retry.getMultiplier(),
                FromProtocol.duration(retry.getMaxBackoff()),
                retry.getJitter());
    }

    private static QueueSpec.Ordering ordering(Ordering ordering) {
        boolean unordered = ordering.getWhenKeyMissing() == OrderingKeyMissing.ORDERING_KEY_MISSING_UNORDERED;
        return new QueueSpec.Ordering(
                ordering.getKeyList(), unordered ? WhenKeyMissing.UNORDERED : WhenKeyMissing.REJECT);
    }

    /** Null: one that this client does not know. */
    private static @Nullable DeliveryDurability durability(io.fila.protocol.v1.DeliveryDurability durability) {
        return switch (durability) {
            case DELIVERY_DURABILITY_COMMITTED -> DeliveryDurability.COMMITTED;
            case DELIVERY_DURABILITY_FAST -> DeliveryDurability.FAST;
            case UNRECOGNIZED -> null;
        };
    }

    private static MissingKey missingKey(io.fila.protocol.v1.MissingKey policy) {
        return policy == io.fila.protocol.v1.MissingKey.MISSING_KEY_UNTHROTTLED
                ? MissingKey.UNTHROTTLED
                : MissingKey.SHARED_BUCKET;
    }

    private static QueueStats stats(io.fila.protocol.v1.QueueStats stats) {
        return new QueueStats(
                stats.getReady(),
                stats.getDelayed(),
                stats.getThrottled(),
                stats.getLeased(),
                stats.getUnclassified(),
                stats.getDeadLettered(),
                stats.hasOldestReadyAt() ? FromProtocol.instant(stats.getOldestReadyAt()) : null,
                stats.hasOldestUnclassifiedAt() ? FromProtocol.instant(stats.getOldestUnclassifiedAt()) : null,
                stats.getSubscribers(),
                stats.getThrottlesList().stream()
                        .map(one -> new ThrottleInForce(throttle(one.getThrottle()), one.getSubscribers()))
                        .toList(),
                stats.getPausedScriptsList().stream()
                        .map(one -> new PausedScript(one.getFunction(), FromProtocol.instant(one.getUntil())))
                        .toList());
    }
}
