/**
 * The REST API: everything an administrator needs, and a complete, simple data plane for what does not speak gRPC.
 *
 * <p><b>Promise.</b> A request is either understood to the last field or refused with a problem that names the field, what was
 * expected and what was given. Nothing is ignored, guessed, rounded or capped: unknown fields and parameters, doubled keys,
 * values of another type, and bodies where there are none to read are refused. A payload comes back as it was written, numbers of any size included.
 *
 * <p><b>Way of a request.</b> {@link io.fila.broker.admin.RequestBodies} refuses parameters and bodies that no one reads and collects
 * the body within its bound on the event loop;
 * {@link io.fila.broker.admin.BlockingCalls} hands it to a bounded pool, since parsing and the services may take long;
 * {@link io.fila.broker.admin.JsonBody} reads it; the controller of the resource calls one service. A {@code receive} waits
 * without a thread.
 *
 * <p><b>Failure.</b> {@link io.fila.broker.admin.ProblemHandler} turns every exception into an RFC 9457 problem. Callers'
 * mistakes leave nothing in the log above debug level; what nobody expected is logged once, with an incident id that the
 * caller sees too. When the pool is full, or the database away, the answer is 503 with {@code Retry-After}, at once.
 *
 * <p><b>Neighbours.</b> The rules are those of the services; this package checks the form only. Rate limits are never decided
 * here.
 */
@NullMarked
package io.fila.broker.admin;

import org.jspecify.annotations.NullMarked;
