package io.fila.broker.pacing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.message.Delivery;
import io.fila.broker.pacing.Claimed.BucketAnswer;
import io.fila.broker.pacing.Claimed.Leased;
import io.fila.broker.pacing.Proposal.Share;
import io.fila.broker.throttle.Bucket;

/**
 * How the room of buckets is shared out among proposed lanes: greedily in the proposed order, each lane getting the least of what
 * it asks for and the room of all its buckets. A lane that gets nothing is not leased from.
 */
final class Allotment {

    private final Proposal proposal;
    private final Map<UUID, Integer> asked = new LinkedHashMap<>();
    private final Map<UUID, Room> rooms;
    private final Map<UUID, BucketAnswer> answers = new HashMap<>();

    private Allotment(Proposal proposal, Map<UUID, Room> rooms) {
        this.proposal = proposal;
        this.rooms = rooms;
    }

    /** @param rooms of every bucket that exists; only the locked ones are counted on */
    static Allotment of(Proposal proposal, Set<UUID> locked, Map<UUID, Room> rooms) {
        Allotment allotment = new Allotment(proposal, rooms);
        Map<UUID, Integer> left = new HashMap<>();
        for (Share share : proposal.shares()) {
            for (Bucket bucket : share.buckets()) {
                left.computeIfAbsent(bucket.id(), id -> allotment.usableRoom(bucket, locked));
            }
        }
        // what is known to wait comes first: asking one lane for more than it has would keep room from the next
        for (Share share : proposal.shares()) {
            allotment.allot(share, share.expected(), left);
        }
        for (Share share : proposal.shares()) {
            allotment.allot(share, share.quota() - allotment.asked.getOrDefault(share.lane(), 0), left);
        }
        return allotment;
    }

    private void allot(Share share, int quota, Map<UUID, Integer> left) {
        int allotted = quota;
        for (Bucket bucket : share.buckets()) {
            allotted = Math.min(allotted, left.getOrDefault(bucket.id(), 0));
        }
        asked.merge(share.lane(), allotted, Integer::sum);
        for (Bucket bucket : share.buckets()) {
            left.merge(bucket.id(), -allotted, Integer::sum);
        }
    }

    /** The room of a bucket that this claim may use; says so if it may not. */
    private int usableRoom(Bucket bucket, Set<UUID> locked) {
        Room room = rooms.get(bucket.id());
        if (room == null) {
            answers.put(bucket.id(), new BucketAnswer.Missing(bucket));
            return 0;
        }
        if (!locked.contains(bucket.id())) {
            answers.put(bucket.id(), new BucketAnswer.Busy());
            return 0;
        }
        return room.room();
    }

    /** What to lease. */
    List<Share> shares() {
        List<Share> shares = new ArrayList<>();
        for (Share share : proposal.shares()) {
            int quota = asked.getOrDefault(share.lane(), 0);
            if (quota > 0) {
                shares.add(share.of(quota));
            }
        }
        return shares;
    }

    /** What each bucket is to be charged for what was leased. */
    Map<UUID, Integer> charges(Map<UUID, List<Delivery>> leased) {
        Map<UUID, Integer> charges = new HashMap<>();
        for (Share share : proposal.shares()) {
            int count = leased.getOrDefault(share.lane(), List.of()).size();
            if (count > 0) {
                share.buckets().forEach(bucket -> charges.merge(bucket.id(), count, Integer::sum));
            }
        }
        return charges;
    }

    /**
     * What the claim says of each lane.
     *
     * @param isCut whether there were more messages, for which there was no space: that a lane gave few says nothing then
     */
    List<LaneAnswer> answers(Map<UUID, List<Delivery>> leased, boolean isCut) {
        List<LaneAnswer> result = new ArrayList<>();
        for (Share share : proposal.shares()) {
            Collection<Delivery> deliveries = leased.getOrDefault(share.lane(), List.of());
            long head = deliveries.stream()
                    .mapToLong(delivery -> delivery.lease().sequence() + 1)
                    .max()
                    .orElse(share.head());
            int allotted = isCut ? deliveries.size() : asked.getOrDefault(share.lane(), 0);
            result.add(new LaneAnswer(share.lane(), allotted, deliveries.size(), head));
        }
        return result;
    }

    /** What was leased, oldest first. */
    List<Leased> ordered(Map<UUID, List<Delivery>> deliveries) {
        List<Leased> ordered = new ArrayList<>();
        for (Share share : proposal.shares()) {
            for (Delivery delivery : deliveries.getOrDefault(share.lane(), List.of())) {
                ordered.add(new Leased(delivery, share.buckets()));
            }
        }
        ordered.sort(
                Comparator.comparingLong(leased -> leased.delivery().lease().sequence()));
        return ordered;
    }

    /** What the claim says of each bucket, {@code charges} having been counted. */
    Map<UUID, BucketAnswer> after(Map<UUID, Integer> charges) {
        for (Room room : rooms.values()) {
            int left = room.room() - charges.getOrDefault(room.bucket(), 0);
            if (left > 0) {
                answers.putIfAbsent(room.bucket(), new BucketAnswer.Open(room));
            } else if (charges.containsKey(room.bucket())) {
                answers.putIfAbsent(room.bucket(), new BucketAnswer.UsedUp());
            } else {
                answers.putIfAbsent(room.bucket(), new BucketAnswer.Full(room));
            }
        }
        return answers;
    }
}
