package io.fila.broker.grpc;

import java.time.Instant;
import java.util.Map;

import io.fila.broker.message.Redriven;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueScripts;
import io.fila.broker.queue.QueueSettings;
import io.fila.broker.queue.RetryPolicy;
import io.fila.broker.queue.WhenScriptFails;
import io.fila.broker.script.Hook;
import io.fila.broker.stats.Overviews.QueueOverview;
import io.fila.broker.stats.QueueStats;
import io.fila.broker.stats.QueueStats.DeclaredThrottle;
import io.fila.protocol.v1.DeliveryDurability;
import io.fila.protocol.v1.OrderingKeyMissing;
import io.fila.protocol.v1.PausedScript;
import io.fila.protocol.v1.RedriveQueueResponse;
import io.fila.protocol.v1.ScriptFailurePolicy;
import io.fila.protocol.v1.Throttle;
import io.fila.protocol.v1.ThrottleInForce;

/** Writes queues, their settings and their statistics. */
final class QueuesToProtocol {

    private QueuesToProtocol() {}

    static io.fila.protocol.v1.Queue queue(QueueOverview overview) {
        return queue(overview.queue()).toBuilder()
                .setStats(stats(overview.stats(), overview.pausedScripts()))
                .build();
    }

    static io.fila.protocol.v1.Queue queue(Queue queue) {
        return io.fila.protocol.v1.Queue.newBuilder()
                .setName(queue.name().value())
                .setSettings(settings(queue.settings()))
                .setPaused(queue.paused())
                .build();
    }

    private static io.fila.protocol.v1.QueueSettings settings(QueueSettings settings) {
        var builder = io.fila.protocol.v1.QueueSettings.newBuilder()
                .setVisibilityTimeout(ToProtocol.duration(settings.visibilityTimeout()))
                .setRetry(retry(settings.retry()))
                .setDeliveryDurability(durability(settings.deliveryDurability()));
        if (settings.maxBacklog() != null) {
            builder.setMaxBacklog(settings.maxBacklog());
        }
        if (settings.ordering() != null) {
            builder.setOrdering(ordering(settings.ordering()));
        }
        if (settings.deadLetterRetention() != null) {
            builder.setDeadLetterRetention(ToProtocol.duration(settings.deadLetterRetention()));
        }
        QueueScripts scripts = settings.scripts();
        if (scripts.onEnqueue() != null) {
            builder.setOnEnqueue(scripts.onEnqueue());
        }
        if (scripts.onFailure() != null) {
            builder.setOnFailure(scripts.onFailure());
        }
        return builder.setWhenScriptFails(whenScriptFails(scripts.whenScriptFails()))
                .build();
    }

    private static io.fila.protocol.v1.WhenScriptFails whenScriptFails(WhenScriptFails whenScriptFails) {
        ScriptFailurePolicy policy = switch (whenScriptFails.policy()) {
            case REJECT -> ScriptFailurePolicy.SCRIPT_FAILURE_POLICY_REJECT;
            case PARK -> ScriptFailurePolicy.SCRIPT_FAILURE_POLICY_PARK;
        };
        var builder = io.fila.protocol.v1.WhenScriptFails.newBuilder().setPolicy(policy);
        if (whenScriptFails.deadLetterAfter() != null) {
            builder.setDeadLetterAfter(whenScriptFails.deadLetterAfter());
        }
        return builder.build();
    }

    private static io.fila.protocol.v1.RetryPolicy retry(RetryPolicy retry) {
        return io.fila.protocol.v1.RetryPolicy.newBuilder()
                .setMaxAttempts(retry.maxAttempts())
                .setInitialBackoff(ToProtocol.duration(retry.initialBackoff()))
                .setMultiplier(retry.multiplier())
                .setMaxBackoff(ToProtocol.duration(retry.maxBackoff()))
                .setJitter(retry.jitter())
                .build();
    }

    private static io.fila.protocol.v1.Ordering ordering(Ordering ordering) {
        OrderingKeyMissing policy = switch (ordering.whenKeyMissing()) {
            case REJECT -> OrderingKeyMissing.ORDERING_KEY_MISSING_REJECT;
            case UNORDERED -> OrderingKeyMissing.ORDERING_KEY_MISSING_UNORDERED;
        };
        return io.fila.protocol.v1.Ordering.newBuilder()
                .addAllKey(ordering.keyTexts())
                .setWhenKeyMissing(policy)
                .build();
    }

    private static DeliveryDurability durability(io.fila.broker.queue.DeliveryDurability durability) {
        return switch (durability) {
            case COMMITTED -> DeliveryDurability.DELIVERY_DURABILITY_COMMITTED;
            case FAST -> DeliveryDurability.DELIVERY_DURABILITY_FAST;
        };
    }

    private static io.fila.protocol.v1.QueueStats stats(QueueStats stats, Map<Hook, Instant> pausedScripts) {
        var builder = io.fila.protocol.v1.QueueStats.newBuilder()
                .setReady(stats.ready())
                .setDelayed(stats.delayed())
                .setThrottled(stats.throttled())
                .setLeased(stats.leased())
                .setUnclassified(stats.unclassified())
                .setDeadLettered(stats.deadLettered())
                .setSubscribers(stats.subscribers());
        if (stats.oldestReadyAt() != null) {
            builder.setOldestReadyAt(ToProtocol.timestamp(stats.oldestReadyAt()));
        }
        if (stats.oldestUnclassifiedAt() != null) {
            builder.setOldestUnclassifiedAt(ToProtocol.timestamp(stats.oldestUnclassifiedAt()));
        }
        stats.throttles().forEach(throttle -> builder.addThrottles(throttle(throttle)));
        pausedScripts.forEach((hook, until) -> builder.addPausedScripts(
                PausedScript.newBuilder().setFunction(hook.functionName()).setUntil(ToProtocol.timestamp(until))));
        return builder.build();
    }

    private static ThrottleInForce throttle(DeclaredThrottle throttle) {
        return ThrottleInForce.newBuilder()
                .setThrottle(Throttle.newBuilder()
                        .setName(throttle.name())
                        .addAllLimits(ToProtocol.texts(throttle.limits()))
                        .addAllKey(ToProtocol.texts(throttle.key()))
                        .setWhenKeyMissing(ToProtocol.missingKey(throttle.whenKeyMissing())))
                .setSubscribers(throttle.subscribers())
                .build();
    }

    static RedriveQueueResponse redriven(Redriven redriven) {
        Redriven.Kept kept = redriven.kept();
        return RedriveQueueResponse.newBuilder()
                .setMoved(redriven.moved())
                .setKept(RedriveQueueResponse.Kept.newBuilder()
                        .setUnclassified(kept.unclassified())
                        .setRejected(kept.rejected())
                        .setLeased(kept.leased())
                        .setDelayed(kept.delayed())
                        .setReady(kept.ready()))
                .build();
    }
}
