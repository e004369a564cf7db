package io.fila.broker.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fila.broker.problem.Durations;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueSettings;
import io.fila.broker.queue.RetryPolicy;
import io.fila.broker.queue.WhenScriptFails;
import io.fila.broker.script.Hook;
import io.fila.broker.stats.Overviews.QueueOverview;
import io.fila.broker.stats.QueueStats;
import io.fila.broker.stats.QueueStats.DeclaredThrottle;
import org.jspecify.annotations.Nullable;

/** A queue as it is shown; {@code stats} only where they were asked for. */
record QueueAnswer(
        String name,
        String visibilityTimeout,
        Retry retry,
        @Nullable Long maxBacklog,
        @Nullable Order ordering,
        String deliveryDurability,
        @Nullable String deadLetterRetention,
        @Nullable String onEnqueue,
        @Nullable String onFailure,
        ScriptFailure whenScriptFails,
        boolean paused,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Stats stats)
        implements Answer {

    record Order(List<String> key, String whenKeyMissing) {}

    record ScriptFailure(String policy, @Nullable Integer deadLetterAfter) {}

    record Retry(int maxAttempts, Backoff backoff) {}

    record Backoff(String initial, double multiplier, String max, double jitter) {}

    record Stats(
            long ready,
            long delayed,
            long throttled,
            long leased,
            long unclassified,
            long deadLettered,
            @Nullable Instant oldestReadyAt,
            @Nullable Instant oldestUnclassifiedAt,
            int subscribers,
            List<Throttle> throttles,
            List<PausedScript> pausedScripts) {}

    record PausedScript(String function, Instant until) {}

    record Throttle(String name, List<String> limits, List<String> key, String whenKeyMissing, int subscribers) {}

    static QueueAnswer of(QueueOverview overview) {
        return of(overview.queue(), stats(overview.stats(), overview.pausedScripts()));
    }

    /** Without its statistics. */
    static QueueAnswer of(Queue queue) {
        return of(queue, null);
    }

    private static QueueAnswer of(Queue queue, @Nullable Stats stats) {
        QueueSettings settings = queue.settings();
        Duration retention = settings.deadLetterRetention();
        return new QueueAnswer(
                queue.name().value(),
                Durations.format(settings.visibilityTimeout()),
                retry(settings.retry()),
                settings.maxBacklog(),
                order(settings.ordering()),
                settings.deliveryDurability().toString(),
                retention == null ? null : Durations.format(retention),
                settings.scripts().onEnqueue(),
                settings.scripts().onFailure(),
                scriptFailure(settings.scripts().whenScriptFails()),
                queue.paused(),
                stats);
    }

    private static @Nullable Order order(@Nullable Ordering ordering) {
        return ordering == null
                ? null
                : new Order(ordering.keyTexts(), ordering.whenKeyMissing().toString());
    }

    private static ScriptFailure scriptFailure(WhenScriptFails whenScriptFails) {
        return new ScriptFailure(whenScriptFails.policy().toString(), whenScriptFails.deadLetterAfter());
    }

    private static Retry retry(RetryPolicy retry) {
        return new Retry(
                retry.maxAttempts(),
                new Backoff(
                        Durations.format(retry.initialBackoff()),
                        retry.multiplier(),
                        Durations.format(retry.maxBackoff()),
                        retry.jitter()));
    }

    private static Stats stats(QueueStats stats, Map<Hook, Instant> pausedScripts) {
        return new Stats(
                stats.ready(),
                stats.delayed(),
                stats.throttled(),
                stats.leased(),
                stats.unclassified(),
                stats.deadLettered(),
                stats.oldestReadyAt(),
                stats.oldestUnclassifiedAt(),
                stats.subscribers(),
                stats.throttles().stream().map(QueueAnswer::throttle).toList(),
                pausedScripts.entrySet().stream()
                        .map(paused -> new PausedScript(paused.getKey().functionName(), paused.getValue()))
                        .toList());
    }

    private static Throttle throttle(DeclaredThrottle throttle) {
        return new Throttle(
                throttle.name(),
                Texts.of(throttle.limits()),
                Texts.of(throttle.key()),
                throttle.whenKeyMissing().toString(),
                throttle.subscribers());
    }
}
