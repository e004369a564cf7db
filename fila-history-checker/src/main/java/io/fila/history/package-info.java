/**
 * The history checker: whether a broker kept its promise, from what it really delivered and granted.
 *
 * <p>It reads the delivery logs of all nodes ({@link io.fila.history.DeliveryLog}) and computes for every bucket and limit the
 * most deliveries and permits in any window, how much of the limit was used, and how late messages left after they could have
 * ({@link io.fila.history.HistoryChecker}). It knows nothing of how the broker counts, and shares no code with it, so that a fault
 * of the one does not hide in the other.
 *
 * <p>Nodes on several machines log by clocks of their own: what is closer than these are apart is not told from an excess.
 */
@NullMarked
package io.fila.history;

import org.jspecify.annotations.NullMarked;
