package io.fila.client;

import org.jspecify.annotations.Nullable;

/**
 * Which messages of a queue are to be listed; immutable.
 *
 * <pre>{@code
 * MessageQuery query = MessageQuery.all().state(MessageState.DELAYED);
 * Page page = admin.messages("orders", query);
 * while (!page.isLast()) {
 *     page = admin.messages("orders", query.after(page.next()));
 * }
 * }</pre>
 *
 * @param state null: all. Throttled messages are listed as ready
 * @param limit how many at most, 1 to 1,000; 50 unless set
 * @param after the {@code next} of the page before; null: from the first
 */
public record MessageQuery(
        @Nullable MessageState state, int limit, @Nullable String after) {

    private static final MessageQuery ALL = new MessageQuery(null, 50, null);

    public MessageQuery {
        if (limit < 1 || limit > 1_000) {
            throw new IllegalArgumentException("limit must be 1 to 1000, but was " + limit);
        }
        if (state == MessageState.UNKNOWN || state == MessageState.THROTTLED) {
            throw new IllegalArgumentException("state must be READY, DELAYED, LEASED or UNCLASSIFIED, but was " + state
                    + "; throttled messages are listed as READY");
        }
    }

    /** The first messages of any state. */
    public static MessageQuery all() {
        return ALL;
    }

    public MessageQuery state(@Nullable MessageState state) {
        return new MessageQuery(state, limit, after);
    }

    public MessageQuery limit(int limit) {
        return new MessageQuery(state, limit, after);
    }

    public MessageQuery after(@Nullable String next) {
        return new MessageQuery(state, limit, next);
    }
}
