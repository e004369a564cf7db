package io.fila.broker.pacing;

import org.jspecify.annotations.Nullable;

/** What the scheduler knows of the lanes of one fairness key together. */
final class FairnessGroup {

    /** Null: the unkeyed group. */
    final @Nullable String key;

    int weight = 1;

    /** How many lanes the group has, wherever they are. */
    int lanes;

    FairnessGroup(@Nullable String key) {
        this.key = key;
    }
}
