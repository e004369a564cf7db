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
}
