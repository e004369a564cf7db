package io.fila.broker.message;

import org.jspecify.annotations.Nullable;

/**
 * The weight that a message gives its fairness group. A group goes by the message that was enqueued last, in whatever order its
 * messages become known.
 *
 * @param sequence of the message
 */
public record Weight(int value, long sequence) {

    /** The one that holds; null if neither is known. */
    public static @Nullable Weight latestOf(@Nullable Weight a, @Nullable Weight b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.sequence > b.sequence ? a : b;
    }
}
