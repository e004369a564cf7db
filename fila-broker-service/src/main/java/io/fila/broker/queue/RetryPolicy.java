package io.fila.broker.queue;

import java.time.Duration;

/**
 * What follows a failed attempt.
 *
 * @param maxAttempts deliveries in all before the message is dead-lettered
 * @param initialBackoff the wait after the first failure
 * @param multiplier what each further failure multiplies it with
 * @param maxBackoff no wait is longer
 * @param jitter the part of the wait, 0 to 1, that is drawn at random around it
 */
public record RetryPolicy(
        int maxAttempts, Duration initialBackoff, double multiplier, Duration maxBackoff, double jitter) {

    public static final RetryPolicy DEFAULT = new RetryPolicy(3, Duration.ofSeconds(1), 2, Duration.ofMinutes(1), 0.1);

    /**
     * The wait after the given number of failed attempts: {@code initial * multiplier^(failed-1)}, at most {@code max}, then
     * moved by up to {@code jitter} of itself in either direction.
     *
     * @param random from 0 (inclusive) to 1 (exclusive)
     */
    public Duration backoff(int failedAttempts, double random) {
        double millis = initialBackoff.toMillis() * Math.pow(multiplier, Math.max(0, failedAttempts - 1));
        double bounded = Math.min(millis, maxBackoff.toMillis());
        return Duration.ofMillis(Math.round(bounded * (1 + jitter * (2 * random - 1))));
    }
}
