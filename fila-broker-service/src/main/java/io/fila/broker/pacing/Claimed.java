package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.message.Delivery;
import io.fila.broker.throttle.Bucket;

/**
 * What a claim did.
 *
 * @param clock what was known of the database's clock
 * @param answers one for each proposed lane
 * @param leased what was leased, oldest first
 * @param grants the records of the deliveries, one for each bucket
 * @param rooms what is known of each bucket after the claim
 * @param settled the bounds of earlier records that were settled, by their ids
 * @param isCut whether there were more messages than there was space for
 */
record Claimed(
        Bounds clock,
        List<LaneAnswer> answers,
        List<Leased> leased,
        List<Grant> grants,
        Map<UUID, BucketAnswer> rooms,
        Map<Long, OffsetDateTime> settled,
        boolean isCut) {

    /** Whether anything was granted for after {@code moment} of this node's clock. */
    boolean runsAheadOf(long moment) {
        OffsetDateTime time = clock.atMost(moment);
        return grants.stream().anyMatch(grant -> grant.g().isAfter(time));
    }

    /** Buckets whose room it used up. */
    Set<UUID> usedUp() {
        return rooms.entrySet().stream()
                .filter(room -> room.getValue() instanceof BucketAnswer.UsedUp)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** A leased message and the buckets it was counted in. */
    record Leased(Delivery delivery, List<Bucket> buckets) {}

    /** What a claim says of a bucket. */
    sealed interface BucketAnswer {

        /** There is room left, as there was at the moment of the claim. */
        record Open(Room room) implements BucketAnswer {}

        /** There is none. */
        record Full(Room room) implements BucketAnswer {}

        /** This claim used the last of it: when there is room again is known once the records are settled. */
        record UsedUp() implements BucketAnswer {}

        /** Somebody else holds it. */
        record Busy() implements BucketAnswer {}

        /** It has been evicted. */
        record Missing(Bucket bucket) implements BucketAnswer {}
    }
}
