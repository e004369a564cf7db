package io.fila.broker.admin;

import java.time.Duration;
import java.util.Optional;

import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.RetryChange;
import org.jspecify.annotations.Nullable;

/** Reads the settings of a queue. Their ranges are checked by {@link SettingsChange}. */
final class QueueSettingsJson {

    private static final Field<Duration> INITIAL = Field.of("initial", JsonInput::duration);
    private static final Field<Double> MULTIPLIER = Field.of("multiplier", JsonInput::number);
    private static final Field<Duration> MAX = Field.of("max", JsonInput::duration);
    private static final Field<Double> JITTER = Field.of("jitter", JsonInput::number);

    private static final Field<Integer> MAX_ATTEMPTS =
            Field.of("maxAttempts", in -> (int) in.wholeNumber(Integer.MIN_VALUE, Integer.MAX_VALUE));
    private static final Field<Fields> BACKOFF = Field.of("backoff", in -> in.object(INITIAL, MULTIPLIER, MAX, JITTER));

    private static final Field<Duration> VISIBILITY_TIMEOUT = Field.of("visibilityTimeout", JsonInput::duration);
    private static final Field<RetryChange> RETRY = Field.of("retry", QueueSettingsJson::retry);
    /** Empty: none, which only a change can say. */
    private static final Field<Optional<Long>> MAX_BACKLOG = Field.of(
            "maxBacklog",
            in -> in.isNull() ? Optional.empty() : Optional.of(in.wholeNumber(Long.MIN_VALUE, Long.MAX_VALUE)));

    private QueueSettingsJson() {}

    static SettingsChange read(JsonInput in) {
        Fields given = in.object(VISIBILITY_TIMEOUT, RETRY, MAX_BACKLOG);
        @Nullable Optional<Long> maxBacklog = given.get(MAX_BACKLOG);
        return new SettingsChange(
                given.get(VISIBILITY_TIMEOUT),
                given.get(RETRY),
                maxBacklog == null ? null : maxBacklog.orElse(null),
                maxBacklog != null && maxBacklog.isEmpty());
    }

    /** The settings that a missing body stands for: nothing is given. */
    static SettingsChange none() {
        return new SettingsChange(null, null, null);
    }

    private static RetryChange retry(JsonInput in) {
        Fields given = in.object(MAX_ATTEMPTS, BACKOFF);
        @Nullable Fields stated = given.get(BACKOFF);
        Fields backoff = stated == null ? Fields.none() : stated;
        return new RetryChange(
                given.get(MAX_ATTEMPTS),
                backoff.get(INITIAL),
                backoff.get(MULTIPLIER),
                backoff.get(MAX),
                backoff.get(JITTER));
    }
}
