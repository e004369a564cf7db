package io.fila.broker.admin;

import java.time.Duration;
import java.util.List;

import io.fila.broker.problem.Durations;
import io.fila.broker.problem.Names;
import io.fila.broker.throttle.MissingKey;
import io.fila.broker.throttle.ThrottleDeclaration;

/**
 * What a consumer asks for when it subscribes.
 *
 * @param ttl how long the subscription outlives the last call on it
 */
record SubscriptionInput(String consumer, Duration ttl, List<ThrottleDeclaration> throttles) {

    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration SHORTEST_TTL = Duration.ofSeconds(1);
    private static final Duration LONGEST_TTL = Duration.ofHours(1);

    /** Guards of memory only: the domain's own limits are far below. */
    private static final int MAX_ELEMENTS = 1000;

    private static final Field<String> NAME = Field.of("name", JsonInput::text);
    private static final Field<List<String>> LIMITS = Field.of("limits", SubscriptionInput::texts);
    private static final Field<List<String>> KEY = Field.of("key", SubscriptionInput::texts);
    private static final Field<MissingKey> WHEN_KEY_MISSING =
            Field.of("whenKeyMissing", in -> MissingKey.parse(in.path(), in.text()));

    private static final Field<String> CONSUMER = Field.of("consumer", in -> Names.require(in.path(), in.text()));
    private static final Field<Duration> TTL_FIELD =
            Field.of("ttl", in -> Durations.requireBetween(in.path(), in.duration(), SHORTEST_TTL, LONGEST_TTL));
    private static final Field<List<ThrottleDeclaration>> THROTTLES =
            Field.of("throttles", in -> in.array(MAX_ELEMENTS, SubscriptionInput::throttle));

    static SubscriptionInput read(JsonInput in) {
        Fields given = in.object(CONSUMER, TTL_FIELD, THROTTLES);
        List<ThrottleDeclaration> throttles = given.get(THROTTLES, List.of());
        ThrottleDeclaration.requireDistinct(throttles);
        return new SubscriptionInput(given.require(CONSUMER), given.get(TTL_FIELD, TTL), throttles);
    }

    private static ThrottleDeclaration throttle(JsonInput in) {
        Fields given = in.object(NAME, LIMITS, KEY, WHEN_KEY_MISSING);
        return ThrottleDeclaration.parse(
                in.path(),
                given.require(NAME),
                given.require(LIMITS),
                given.get(KEY, List.of()),
                given.get(WHEN_KEY_MISSING, MissingKey.SHARED_BUCKET));
    }

    private static List<String> texts(JsonInput in) {
        return in.array(MAX_ELEMENTS, JsonInput::text);
    }
}
