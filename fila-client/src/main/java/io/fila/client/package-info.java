/**
 * The plain Java client. {@link io.fila.client.FilaClient} sends, declares queues and subscribes, {@link
 * io.fila.client.FilaAdmin} administers; everything else public is a value or a callback.
 *
 * <h2>Sending</h2>
 *
 * A send is done when its future says so: the message is stored durably. {@code MessageSender} keeps one request per queue
 * under way and merges the single sends that come meanwhile ({@code Outbox}), so a lone caller pays no delay and many
 * callers share the cost of a commit. A request is all or none; if the broker refuses a merged one for what a message
 * holds, it is halved until only the guilty message is left ({@code EnqueueBatch}). Nothing is retried behind the caller's
 * back: only the caller knows whether a message may be stored twice, or has an id that prevents it. Each send has its own
 * deadline, also in a shared request.
 *
 * <h2>Subscribing</h2>
 *
 * A {@code LiveSubscription} outlives its gRPC streams: {@code WAITING → OPENING → ACTIVE}, back to {@code WAITING} (with
 * exponential backoff and full jitter) whenever a stream ends, until it is closed or the broker refuses it ({@code
 * SubscriptionPhase}). Two things are carried from stream to stream: unused {@code Credit}, which is given again, so that
 * never more arrives than was asked for; and unanswered {@code Settlements}, which are sent again for as long as their
 * callers wait. Both only travel while a stream is accepted and has room, and accumulate into one frame otherwise. A lease
 * may be settled on any later stream, since the broker knows it by its id.
 *
 * <h2>Failures</h2>
 *
 * <ul>
 *   <li>The broker is away: sends fail at once with {@code broker-unreachable}, subscriptions tell their listener once and try
 *       again for ever.
 *   <li>The broker vanishes without a word: keep-alive pings notice within 20 s; calls end at their deadline before.
 *   <li>The broker refuses a subscription: the listener is told and it is closed, since trying again could not help.
 *   <li>An answer is lost: a send is reported as failed though it may be stored; a settlement is sent again and may
 *       come back as lost though it counted. A message may so be handled twice, never be lost.
 *   <li>A listener throws: it is logged, the delivery is released, the subscription goes on.
 * </ul>
 *
 * <h2>Threads</h2>
 *
 * Daemon workers run answers and listeners, one timer runs timeouts and backoffs; no thread belongs to a subscription. No
 * lock is held while foreign code runs.
 */
@NullMarked
package io.fila.client;

import org.jspecify.annotations.NullMarked;
