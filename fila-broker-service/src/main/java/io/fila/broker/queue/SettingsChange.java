package io.fila.broker.queue;

import java.time.Duration;

import io.fila.broker.problem.Durations;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * Settings as a caller gives them: null where absent. {@link #over} makes them whole and checks them.
 *
 * @param retry null if absent as a whole
 * @param unbounded whether a maximum backlog is taken away; {@code maxBacklog} is absent then
 */
public record SettingsChange(
        @Nullable Duration visibilityTimeout,
        @Nullable RetryChange retry,
        @Nullable Long maxBacklog,
        boolean unbounded) {

    private static final Duration MIN_VISIBILITY = Duration.ofSeconds(1);
    private static final Duration MAX_VISIBILITY = Duration.ofHours(12);
    private static final Duration MAX_BACKOFF = Duration.ofDays(1);
    private static final int MAX_ATTEMPTS = 1000;

    /** The part of a change that concerns retries. */
    public record RetryChange(
            @Nullable Integer maxAttempts,
            @Nullable Duration initialBackoff,
            @Nullable Double multiplier,
            @Nullable Duration maxBackoff,
            @Nullable Double jitter) {}

    /** A change that takes nothing away. */
    public SettingsChange(
            @Nullable Duration visibilityTimeout, @Nullable RetryChange retry, @Nullable Long maxBacklog) {
        this(visibilityTimeout, retry, maxBacklog, false);
    }

    /** These settings, with what is absent taken from {@code base}. */
    public QueueSettings over(QueueSettings base) {
        Duration visibility = visibilityTimeout == null ? base.visibilityTimeout() : visibilityTimeout;
        Durations.requireBetween("visibilityTimeout", visibility, MIN_VISIBILITY, MAX_VISIBILITY);
        Long backlog = maxBacklog != null || unbounded ? maxBacklog : base.maxBacklog();
        if (backlog != null && backlog < 1) {
            throw ProblemException.invalid("maxBacklog: expected at least 1, got " + backlog);
        }
        return new QueueSettings(visibility, retry == null ? base.retry() : retryOver(retry, base.retry()), backlog);
    }

    private static RetryPolicy retryOver(RetryChange change, RetryPolicy base) {
        RetryPolicy merged = new RetryPolicy(
                change.maxAttempts == null ? base.maxAttempts() : change.maxAttempts,
                change.initialBackoff == null ? base.initialBackoff() : change.initialBackoff,
                change.multiplier == null ? base.multiplier() : change.multiplier,
                change.maxBackoff == null ? base.maxBackoff() : change.maxBackoff,
                change.jitter == null ? base.jitter() : change.jitter);
        if (merged.maxAttempts() < 1 || merged.maxAttempts() > MAX_ATTEMPTS) {
            throw ProblemException.invalid(
                    "retry.maxAttempts: expected 1 to %d, got %d".formatted(MAX_ATTEMPTS, merged.maxAttempts()));
        }
        Durations.requireBetween("retry.backoff.initial", merged.initialBackoff(), Duration.ZERO, MAX_BACKOFF);
        Durations.requireBetween("retry.backoff.max", merged.maxBackoff(), merged.initialBackoff(), MAX_BACKOFF);
        if (!(merged.multiplier() >= 1 && merged.multiplier() <= 100)) {
            throw ProblemException.invalid("retry.backoff.multiplier: expected 1 to 100, got " + merged.multiplier());
        }
        if (!(merged.jitter() >= 0 && merged.jitter() <= 1)) {
            throw ProblemException.invalid("retry.backoff.jitter: expected 0 to 1, got " + merged.jitter());
        }
        return merged;
    }
}
