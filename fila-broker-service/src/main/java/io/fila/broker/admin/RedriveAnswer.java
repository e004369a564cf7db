package io.fila.broker.admin;

import io.fila.broker.message.Redriven;

/** What a redrive moved, and why the rest of the dead letter queue stayed. */
record RedriveAnswer(long moved, Redriven.Kept kept) implements Answer {

    static RedriveAnswer of(Redriven redriven) {
        return new RedriveAnswer(redriven.moved(), redriven.kept());
    }
}
