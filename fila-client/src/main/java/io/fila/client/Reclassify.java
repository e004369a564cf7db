package io.fila.client;

/** For which messages that go back from a dead letter queue the queue's script runs again. */
public enum Reclassify {
    /** For all. The default. */
    ALL,
    /** For those for which it failed before. */
    UNCLASSIFIED,
    /** For none: they stay as they are. */
    NONE
}
