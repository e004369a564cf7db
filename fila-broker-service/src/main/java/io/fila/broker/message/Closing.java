package io.fila.broker.message;

import java.util.ArrayList;
import java.util.List;

import io.fila.broker.problem.Names;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.Keyed;

/** Decides which buckets a refusal closes. */
final class Closing {

    private Closing() {}

    /** Throws {@link ClosingRefusedException} if one of the named throttles is not in force on the queue. */
    static void requireInForce(QueueName queue, List<ActiveThrottle> throttles, List<String> named) {
        List<String> inForce = throttles.stream().map(ActiveThrottle::name).toList();
        for (String name : named) {
            if (!inForce.contains(name)) {
                throw new ClosingRefusedException(
                        "closeBucketsOf: throttle '%s' does not apply to queue '%s'; those that do: %s"
                                .formatted(
                                        Names.shown(name),
                                        queue.value(),
                                        inForce.isEmpty() ? "none" : String.join(", ", inForce)));
            }
        }
    }

    /**
     * The buckets that the message draws from, of the named throttles; of all if none is named. Throws
     * {@link ClosingRefusedException} if one of the named does not apply to the message.
     */
    static List<Bucket> bucketsOf(Keyed message, Lease lease, List<ActiveThrottle> throttles, List<String> named) {
        List<Bucket> buckets = new ArrayList<>();
        for (ActiveThrottle throttle : throttles) {
            if (named.isEmpty()) {
                throttle.bucketOf(message).ifPresent(buckets::add);
            } else if (named.contains(throttle.name())) {
                buckets.add(throttle.bucketOf(message)
                        .orElseThrow(() -> new ClosingRefusedException(
                                "closeBucketsOf: the message of lease '%s' does not draw from throttle '%s', since it lacks its key %s; name those it draws from, or none for all of them"
                                        .formatted(lease, throttle.name(), throttle.key()))));
            }
        }
        return buckets;
    }
}
