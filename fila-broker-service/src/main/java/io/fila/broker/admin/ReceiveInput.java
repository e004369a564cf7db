package io.fila.broker.admin;

import java.time.Duration;

import io.fila.broker.problem.Durations;

/**
 * What a {@code receive} asks for.
 *
 * @param max so many deliveries at most; 0: only renew the subscription
 * @param waitFor how long to wait for the first one
 */
record ReceiveInput(int max, Duration waitFor) {

    private static final int LARGEST = 1000;
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private static final Field<Integer> MAX = Field.of("max", in -> (int) in.wholeNumber(0, LARGEST));
    private static final Field<Duration> WAIT =
            Field.of("wait", in -> Durations.requireBetween(in.path(), in.duration(), Duration.ZERO, LONGEST));

    static ReceiveInput read(byte[] body) {
        Fields given = body.length == 0 ? Fields.none() : JsonBody.read(body, in -> in.object(MAX, WAIT));
        return new ReceiveInput(given.get(MAX, 1), given.get(WAIT, Duration.ZERO));
    }
}
