package io.fila.broker.admin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.fila.broker.queue.DeliveryDurability;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.RetryChange;
import io.fila.broker.queue.SettingsChange.ScriptsChange;
import io.fila.broker.queue.WhenScriptFails;
import io.fila.broker.queue.WhenScriptFails.Policy;
import org.jspecify.annotations.Nullable;

/** Reads the settings of a queue. Their ranges are checked by {@link SettingsChange}. */
final class QueueSettingsJson {

    /** A guard of memory only: the domain's own limit is far below. */
    private static final int MAX_ELEMENTS = 1000;

    private static final Field<Duration> INITIAL = Field.of("initial", JsonInput::duration);
    private static final Field<Double> MULTIPLIER = Field.of("multiplier", JsonInput::number);
    private static final Field<Duration> MAX = Field.of("max", JsonInput::duration);
    private static final Field<Double> JITTER = Field.of("jitter", JsonInput::number);

    private static final Field<Integer> MAX_ATTEMPTS =
            Field.of("maxAttempts", in -> (int) in.wholeNumber(Integer.MIN_VALUE, Integer.MAX_VALUE));
    private static final Field<Fields> BACKOFF = Field.of("backoff", in -> in.object(INITIAL, MULTIPLIER, MAX, JITTER));

    private static final Field<Duration> VISIBILITY_TIMEOUT = Field.of("visibilityTimeout", JsonInput::duration);
    private static final Field<List<String>> KEY = Field.of("key", in -> in.array(MAX_ELEMENTS, JsonInput::text));
    private static final Field<WhenKeyMissing> WHEN_KEY_MISSING =
            Field.of("whenKeyMissing", in -> WhenKeyMissing.parse(in.path(), in.text()));
    private static final Field<Ordering> ORDERING = Field.of("ordering", QueueSettingsJson::ordering);
    private static final Field<DeliveryDurability> DELIVERY_DURABILITY =
            Field.of("deliveryDurability", in -> DeliveryDurability.parse(in.path(), in.text()));
    /** Empty: none, which only a change can say. */
    private static final Field<Optional<Duration>> DEAD_LETTER_RETENTION =
            Field.of("deadLetterRetention", in -> in.isNull() ? Optional.empty() : Optional.of(in.duration()));

    private static final Field<RetryChange> RETRY = Field.of("retry", QueueSettingsJson::retry);
    /** Empty: none, which only a change can say. */
    private static final Field<Optional<Long>> MAX_BACKLOG = Field.of(
            "maxBacklog",
            in -> in.isNull() ? Optional.empty() : Optional.of(in.wholeNumber(Long.MIN_VALUE, Long.MAX_VALUE)));

    private static final Field<Optional<String>> ON_ENQUEUE = script("onEnqueue");
    private static final Field<Optional<String>> ON_FAILURE = script("onFailure");
    private static final Field<Policy> POLICY = Field.of("policy", in -> Policy.parse(in.path(), in.text()));
    private static final Field<Integer> DEAD_LETTER_AFTER =
            Field.of("deadLetterAfter", in -> (int) in.wholeNumber(Integer.MIN_VALUE, Integer.MAX_VALUE));
    private static final Field<WhenScriptFails> WHEN_SCRIPT_FAILS =
            Field.of("whenScriptFails", QueueSettingsJson::whenScriptFails);

    private QueueSettingsJson() {}

    static SettingsChange read(JsonInput in) {
        Fields given = in.object(
                VISIBILITY_TIMEOUT,
                RETRY,
                MAX_BACKLOG,
                ORDERING,
                DELIVERY_DURABILITY,
                DEAD_LETTER_RETENTION,
                ON_ENQUEUE,
                ON_FAILURE,
                WHEN_SCRIPT_FAILS);
        return new SettingsChange(
                given.get(VISIBILITY_TIMEOUT),
                given.get(RETRY),
                given.get(MAX_BACKLOG),
                given.get(ORDERING),
                given.get(DELIVERY_DURABILITY),
                given.get(DEAD_LETTER_RETENTION),
                scripts(given));
    }

    /** Null: none, which only a change can say. */
    private static Field<Optional<String>> script(String name) {
        return Field.of(name, in -> in.isNull() ? Optional.empty() : Optional.of(in.text()));
    }

    private static @Nullable ScriptsChange scripts(Fields given) {
        @Nullable Optional<String> onEnqueue = given.get(ON_ENQUEUE);
        @Nullable Optional<String> onFailure = given.get(ON_FAILURE);
        @Nullable WhenScriptFails whenScriptFails = given.get(WHEN_SCRIPT_FAILS);
        return onEnqueue == null && onFailure == null && whenScriptFails == null
                ? null
                : new ScriptsChange(onEnqueue, onFailure, whenScriptFails);
    }

    private static WhenScriptFails whenScriptFails(JsonInput in) {
        String at = in.path();
        Fields given = in.object(POLICY, DEAD_LETTER_AFTER);
        return WhenScriptFails.of(at, given.get(POLICY, Policy.REJECT), given.get(DEAD_LETTER_AFTER));
    }

    private static Ordering ordering(JsonInput in) {
        String at = in.path();
        Fields given = in.object(KEY, WHEN_KEY_MISSING);
        return Ordering.parse(at, given.require(KEY), given.get(WHEN_KEY_MISSING, WhenKeyMissing.REJECT));
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
