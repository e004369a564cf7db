package io.fila.history;

import java.time.Instant;
import java.util.List;

/**
 * Permits that were granted together, for calls that do not come from a queue.
 *
 * @param from not earlier than this the answer was handed to the caller's connection
 * @param to and not later than this
 * @param node the broker node
 * @param count how many permits there were
 * @param buckets every bucket they were counted in
 */
public record GrantedPermits(Instant from, Instant to, String node, int count, List<BucketName> buckets)
        implements Counted {}
