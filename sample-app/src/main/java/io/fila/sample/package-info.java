/**
 * Buffering a slow downstream. Clients {@code PUT /messages} at any rate; a listener throttled to what the provider allows passes
 * them on; the provider drops what exceeds 8 messages in any second, and the page shows that it hardly ever has to: what is dropped
 * was late on its way by more than the headroom, and is tried again.
 *
 * <p><b>Headroom.</b> The broker keeps the limit on its deliveries. On the way from there to the provider each message is late by a
 * little, and not by the same little: a message that was slow on its way can meet one of the next window that was quick. So the
 * listener declares a window that is wider than the provider's by about the path's jitter, 1,028 ms instead of 1,000, and gives
 * away 2.7 % of the rate for it. {@code WarmUp} keeps the jitter small where it would be worst: at the first messages of a new process.
 *
 * <p>{@code provider} plays the other company, {@code stats} keeps the figures, this package is the application.
 */
@NullMarked
package io.fila.sample;

import org.jspecify.annotations.NullMarked;
