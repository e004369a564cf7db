package io.fila.broker;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Runs random tests so that a failure can be had again: it names the seed of its run, and {@code -Dfila.test.seed=SEED} makes
 * that the only run.
 */
public final class Seeds {

    private static final String PROPERTY = "fila.test.seed";

    private Seeds() {}

    /** Runs the test so many times, each with a random source of its own. */
    public static void each(int runs, Consumer<Random> test) {
        Long given = Long.getLong(PROPERTY);
        if (given != null) {
            run(given, test);
            return;
        }
        long first = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
        for (int i = 0; i < runs; i++) {
            run(first + i, test);
        }
    }

    private static void run(long seed, Consumer<Random> test) {
        try {
            test.accept(new Random(seed));
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("with -D%s=%d: %s".formatted(PROPERTY, seed, e.getMessage()), e);
        }
    }
}
