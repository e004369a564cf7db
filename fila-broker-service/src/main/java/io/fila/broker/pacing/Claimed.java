package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.message.Delivery;

/**
 * What a claim did.
 *
 * @param stale it was proposed by rules that are no longer true: nothing was done
 * @param answers one for each proposed lane
 * @param leased what was leased, oldest first
 * @param grants the records of the deliveries, one for each bucket
 * @param rooms what is known of each bucket after the claim
 * @param settled the bounds of earlier records that were settled, by their ids
 */
record Claimed(
        boolean stale,
        List<LaneAnswer> answers,
        List<Leased> leased,
        List<Grant> grants,
        Map<UUID, BucketAnswer> rooms,
        Map<Long, OffsetDateTime> settled) {

    static final Claimed STALE = new Claimed(true, List.of(), List.of(), List.of(), Map.of(), Map.of());

    /** Whether anything was granted for a moment after {@code time}. */
    boolean runsAheadOf(OffsetDateTime time) {
        return grants.stream().anyMatch(grant -> grant.g().isAfter(time));
    }

    /** A leased message and the buckets it was counted in. */
    record Leased(Delivery delivery, List<UUID> buckets) {}

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
        record Missing() implements BucketAnswer {}
    }
}
