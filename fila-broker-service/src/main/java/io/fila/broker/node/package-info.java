/**
 * Broker nodes: equal, none required. Each has an identity for as long as its process lives, tells the others by a heartbeat that
 * it is there, and learns whether there are others. What a node holds for others (subscriptions by stream) lapses with its
 * heartbeat; nothing else depends on it.
 */
@NullMarked
package io.fila.broker.node;

import org.jspecify.annotations.NullMarked;
