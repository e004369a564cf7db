package io.fila.broker.admin;

import java.util.List;

import io.fila.broker.pacing.Permits;
import org.jspecify.annotations.Nullable;

/**
 * Which permits are asked for.
 *
 * @param key the value of each component; null: the bucket without
 */
record PermitsInput(@Nullable List<String> key, int permits) {

    /** More components no throttle has. */
    private static final int LONGEST_KEY = 8;

    private static final Field<List<String>> KEY = Field.of("key", in -> in.array(LONGEST_KEY, JsonInput::text));
    private static final Field<Integer> PERMITS = Field.of("permits", in -> (int) in.wholeNumber(1, Permits.MOST));

    static PermitsInput read(byte[] body) {
        Fields given = body.length == 0 ? Fields.none() : JsonBody.read(body, in -> in.object(KEY, PERMITS));
        return new PermitsInput(given.get(KEY), given.get(PERMITS, 1));
    }
}
