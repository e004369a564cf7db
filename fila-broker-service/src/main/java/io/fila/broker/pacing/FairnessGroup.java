package io.fila.broker.pacing;

import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** The lanes of one fairness key that may be proposed, and what the round robin owes them. */
final class FairnessGroup {

    /** Null: the unkeyed group. */
    final @Nullable String key;

    final TreeSet<Lane> ready = new TreeSet<>(Lane.BY_AGE);

    int weight;
    long deficit;
    boolean inRing;

    /** How many lanes the group has, wherever they are. */
    int lanes;

    FairnessGroup(@Nullable String key, int weight) {
        this.key = key;
        this.weight = weight;
    }
}
