/**
 * What consumers declare, and what it comes to. A throttle is a name, limits, a key and a missing-key policy; messages with equal
 * key values share a bucket. Everything here is a value or a pure decision, but for one question to the database: what is in force
 * on a queue ({@link io.fila.broker.throttle.ThrottlesInForce}). Limits are checked ({@link
 * io.fila.broker.throttle.Limits}), keys are read from messages ({@link io.fila.broker.throttle.KeyComponent}), buckets are
 * named by what they stand for ({@link io.fila.broker.throttle.KeyHash}), so that nodes agree on them without asking. Who counts
 * deliveries is {@code pacing}; who remembers declarations is {@code subscription}.
 */
@NullMarked
package io.fila.broker.throttle;

import org.jspecify.annotations.NullMarked;
