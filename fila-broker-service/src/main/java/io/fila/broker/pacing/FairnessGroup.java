package io.fila.broker.pacing;

import io.fila.broker.message.Weight;
import org.jspecify.annotations.Nullable;

/** What the scheduler knows of the lanes of one fairness key together. */
final class FairnessGroup {

    /** Null: the unkeyed group. */
    final @Nullable String key;

    int weight = 1;

    /** The sequence of the message that gave it. */
    private long weighedBy = Long.MIN_VALUE;

    /** How many lanes the group has, wherever they are, in flight, too. */
    int lanes;

    FairnessGroup(@Nullable String key) {
        this.key = key;
    }

    /** A message says so; an earlier one than what the group goes by is not listened to. */
    void weigh(Weight given) {
        if (given.sequence() >= weighedBy) {
            weight = given.value();
            weighedBy = given.sequence();
        }
    }
}
