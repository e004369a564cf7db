package io.fila.broker.script;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** What {@code on_failure} says becomes of a message. */
public sealed interface Verdict {

    /**
     * It is delivered again, however often it has been.
     *
     * @param delay null: for so long as the queue's retry policy says
     */
    record Retry(@Nullable Duration delay) implements Verdict {}

    /** It goes to the dead letter queue. */
    record DeadLetter() implements Verdict {}

    /** The queue's retry policy is to say it. */
    record Undecided() implements Verdict {}
}
