package io.fila.broker.queue;

import java.time.Duration;
import java.util.Optional;

import io.fila.broker.problem.Durations;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * Settings as a caller gives them: null where absent, empty where one is taken away. {@link #over} makes them whole and checks them.
 *
 * @param retry null if absent as a whole
 * @param scripts null if absent as a whole
 */
public record SettingsChange(
        @Nullable Duration visibilityTimeout,
        @Nullable RetryChange retry,
        @Nullable Optional<Long> maxBacklog,
        @Nullable Ordering ordering,
        @Nullable DeliveryDurability deliveryDurability,
        @Nullable Optional<Duration> deadLetterRetention,
        @Nullable ScriptsChange scripts) {

    /** Nothing is given. */
    public static final SettingsChange NONE = new SettingsChange(null, null, null, null, null, null);

    private static final Duration MIN_VISIBILITY = Duration.ofSeconds(1);
    private static final Duration MAX_VISIBILITY = Duration.ofHours(12);
    private static final Duration MAX_BACKOFF = Duration.ofDays(1);
    private static final int MAX_ATTEMPTS = 1000;
    private static final Duration SHORTEST_RETENTION = Duration.ofMinutes(1);
    private static final Duration LONGEST_RETENTION = Duration.ofDays(3650);

    /** The part of a change that concerns retries. */
    public record RetryChange(
            @Nullable Integer maxAttempts,
            @Nullable Duration initialBackoff,
            @Nullable Double multiplier,
            @Nullable Duration maxBackoff,
            @Nullable Double jitter) {}

    /** The part of a change that concerns scripts. */
    public record ScriptsChange(
            @Nullable Optional<String> onEnqueue,
            @Nullable Optional<String> onFailure,
            @Nullable WhenScriptFails whenScriptFails) {

        QueueScripts over(QueueScripts base) {
            return new QueueScripts(
                    onEnqueue == null ? base.onEnqueue() : onEnqueue.orElse(null),
                    onFailure == null ? base.onFailure() : onFailure.orElse(null),
                    whenScriptFails == null ? base.whenScriptFails() : whenScriptFails);
        }
    }

    /** A change that leaves scripts alone. */
    public SettingsChange(
            @Nullable Duration visibilityTimeout,
            @Nullable RetryChange retry,
            @Nullable Optional<Long> maxBacklog,
            @Nullable Ordering ordering,
            @Nullable DeliveryDurability deliveryDurability,
            @Nullable Optional<Duration> deadLetterRetention) {
        this(visibilityTimeout, retry, maxBacklog, ordering, deliveryDurability, deadLetterRetention, null);
    }

    /** A change of these alone, which takes nothing away. */
    public SettingsChange(
            @Nullable Duration visibilityTimeout, @Nullable RetryChange retry, @Nullable Long maxBacklog) {
        this(visibilityTimeout, retry, maxBacklog == null ? null : Optional.of(maxBacklog), null, null, null);
    }

    /** A change that gives an order, and nothing else. */
    public static SettingsChange of(Ordering ordering) {
        return new SettingsChange(null, null, null, ordering, null, null);
    }

    /** A change that gives a script for what is enqueued, and what becomes of messages that it fails for, and nothing else. */
    public static SettingsChange ofScript(String onEnqueue, WhenScriptFails whenScriptFails) {
        return of(new ScriptsChange(Optional.of(onEnqueue), null, whenScriptFails));
    }

    /** A change of scripts alone. */
    public static SettingsChange of(ScriptsChange scripts) {
        return new SettingsChange(null, null, null, null, null, null, scripts);
    }

    /** A change that gives a durability, and nothing else. */
    public static SettingsChange of(DeliveryDurability durability) {
        return new SettingsChange(null, null, null, null, durability, null);
    }

    /** These settings, with what is absent taken from {@code base}, as settings of a queue that is created. */
    public QueueSettings over(QueueSettings base) {
        Duration visibility = visibilityTimeout == null ? base.visibilityTimeout() : visibilityTimeout;
        Durations.requireBetween("visibilityTimeout", visibility, MIN_VISIBILITY, MAX_VISIBILITY);
        Long backlog = maxBacklog == null ? base.maxBacklog() : maxBacklog.orElse(null);
        if (backlog != null && backlog < 1) {
            throw ProblemException.invalid("maxBacklog: expected at least 1, got " + backlog);
        }
        Duration retention =
                deadLetterRetention == null ? base.deadLetterRetention() : deadLetterRetention.orElse(null);
        if (retention != null) {
            Durations.requireBetween("deadLetterRetention", retention, SHORTEST_RETENTION, LONGEST_RETENTION);
        }
        return new QueueSettings(
                visibility,
                retry == null ? base.retry() : retryOver(retry, base.retry()),
                backlog,
                ordering == null ? base.ordering() : ordering,
                deliveryDurability == null ? base.deliveryDurability() : deliveryDurability,
                retention,
                scripts == null ? base.scripts() : scripts.over(base.scripts()));
    }

    /** These settings, with what is absent taken from {@code base}, for a queue that is there: {@code present}. */
    QueueSettings over(QueueSettings base, Queue present) {
        if (ordering != null && !ordering.equals(present.settings().ordering())) {
            throw new ProblemException(
                    ProblemCode.IMMUTABLE_SETTING,
                    "ordering: is fixed when a queue is created, and queue '%s' %s; leave it out, or create another queue"
                            .formatted(
                                    present.name(), ordered(present.settings().ordering())));
        }
        if (present.name().isDeadLetter() && deadLetterRetention != null) {
            throw ProblemException.invalid(
                    "deadLetterRetention: expected on the queue itself, not on its dead letter queue '%s'"
                            .formatted(present.name()));
        }
        if (present.name().isDeadLetter() && scripts != null) {
            throw ProblemException.invalid(
                    "onEnqueue, onFailure, whenScriptFails: expected on the queue itself, not on its dead letter queue '%s'"
                            .formatted(present.name()));
        }
        return over(base);
    }

    private static String ordered(@Nullable Ordering ordering) {
        if (ordering == null) {
            return "has none";
        }
        return "is ordered by %s, %s".formatted(ordering.keyTexts(), ordering.whenKeyMissing());
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
