package io.fila.broker.message;

import java.time.Duration;
import java.util.List;

import io.fila.broker.problem.Durations;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** What a consumer says of a lease. One that is not as it must be is {@code invalid-request} when it is made. */
public sealed interface Settlement {

    Duration MAX_RETRY_AFTER = Duration.ofDays(365);
    Duration MIN_EXTENSION = Duration.ofSeconds(1);
    Duration MAX_EXTENSION = Duration.ofHours(12);

    Lease lease();

    /** The message is done. */
    record Ack(Lease lease) implements Settlement {}

    /**
     * The attempt failed.
     *
     * @param retryAfter null: the queue's retry policy decides
     * @param deadLetter skip the remaining attempts
     */
    record Nack(Lease lease, String error, @Nullable Duration retryAfter, boolean deadLetter) implements Settlement {

        public Nack {
            error = ErrorText.storable(error);
            requireValidRetry(retryAfter);
        }
    }

    /**
     * The attempt failed, and the queue's script has said what becomes of the message, which is final.
     *
     * @param retryAfter null: the queue's retry policy decides for how long it waits
     * @param deadLetter otherwise it is retried, however many attempts it has had
     */
    record Judged(Nack nack, @Nullable Duration retryAfter, boolean deadLetter) implements Settlement {

        @Override
        public Lease lease() {
            return nack.lease();
        }
    }

    /**
     * The consumer was refused downstream: the buckets that the message draws from close, and the message goes back without losing
     * an attempt. If it draws from none, it is a failed attempt.
     *
     * @param error what a failed attempt would show
     * @param retryAfter the message waits at least so long; null: as long as its buckets are closed
     * @param closeBucketsFor so long they are closed from now, unless they are for longer
     * @param closeBucketsOf of these throttles only; empty: of all that the message draws from
     */
    record Refused(
            Lease lease,
            String error,
            @Nullable Duration retryAfter,
            Duration closeBucketsFor,
            List<String> closeBucketsOf)
            implements Settlement {

        public Refused {
            error = ErrorText.storable(error);
            requireValidRetry(retryAfter);
            closeBucketsOf = List.copyOf(closeBucketsOf);
        }
    }

    /** The lease is to last this long from now; null: the queue's visibility timeout. */
    record Extend(Lease lease, @Nullable Duration by) implements Settlement {

        public Extend {
            if (by != null) {
                Durations.requireBetween("by", by, MIN_EXTENSION, MAX_EXTENSION);
            }
        }
    }

    /** Back to its place at once, no attempt counted. */
    record Release(Lease lease) implements Settlement {}

    /**
     * A failed attempt, or a refusal downstream, by what is given: the one place that says what goes together.
     *
     * @param closeBucketsFor null: no bucket is closed
     */
    static Settlement nack(
            Lease lease,
            String error,
            @Nullable Duration retryAfter,
            boolean deadLetter,
            @Nullable Duration closeBucketsFor,
            List<String> closeBucketsOf) {
        if (deadLetter && retryAfter != null) {
            throw ProblemException.invalid(
                    "retryAfter: expected none with deadLetter, since a dead-lettered message is not retried; got both");
        }
        if (closeBucketsFor == null) {
            if (!closeBucketsOf.isEmpty()) {
                throw ProblemException.invalid(
                        "closeBucketsOf: expected only with closeBucketsFor, which says for how long; got it alone");
            }
            return new Nack(lease, error, retryAfter, deadLetter);
        }
        if (deadLetter) {
            throw ProblemException.invalid(
                    "closeBucketsFor: expected none with deadLetter, since the message goes back to its place; got both");
        }
        return new Refused(lease, error, retryAfter, closeBucketsFor, closeBucketsOf);
    }

    private static void requireValidRetry(@Nullable Duration retryAfter) {
        if (retryAfter != null) {
            Durations.requireBetween("retryAfter", retryAfter, Duration.ZERO, MAX_RETRY_AFTER);
        }
    }
}
