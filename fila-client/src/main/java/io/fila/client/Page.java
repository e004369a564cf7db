package io.fila.client;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A part of a queue's messages.
 *
 * @param messages in order of their arrival; a page may be short, or empty, and yet not be the last
 * @param next where the next page begins ({@link MessageQuery#after}); null on the last one
 */
public record Page(List<StoredMessage> messages, @Nullable String next) {

    public Page {
        messages = List.copyOf(messages);
    }

    public boolean isLast() {
        return next == null;
    }
}
