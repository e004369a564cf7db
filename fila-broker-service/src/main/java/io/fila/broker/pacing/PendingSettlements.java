package io.fila.broker.pacing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.pacing.BucketStore.Settlement;

/** Records that are still to be settled, the oldest first. Only ever touched by its loop. */
final class PendingSettlements {

    /** Beyond so many the oldest keep their bound, which is only stricter. */
    private static final int MOST = 10_000;

    private final LinkedHashMap<Long, Pending> byRecord = new LinkedHashMap<>();
    private final Map<UUID, List<Settlement>> byBucket = new HashMap<>();

    private record Pending(Settlement settlement, long since) {}

    void add(Settlement settlement, long now) {
        remove(settlement.grant().record());
        byRecord.put(settlement.grant().record(), new Pending(settlement, now));
        byBucket.computeIfAbsent(settlement.grant().bucket(), id -> new ArrayList<>(1))
                .add(settlement);
        if (byRecord.size() > MOST) {
            remove(byRecord.keySet().iterator().next());
        }
    }

    private void remove(long record) {
        Pending removed = byRecord.remove(record);
        if (removed != null) {
            Settlement settlement = removed.settlement();
            List<Settlement> others = byBucket.get(settlement.grant().bucket());
            if (others != null && others.remove(settlement) && others.isEmpty()) {
                byBucket.remove(settlement.grant().bucket());
            }
        }
    }

    /** Those of the buckets, taken out. */
    List<Settlement> takeOf(Collection<UUID> buckets) {
        if (byRecord.isEmpty()) {
            return List.of();
        }
        List<Settlement> taken = new ArrayList<>();
        for (UUID bucket : buckets) {
            taken.addAll(byBucket.getOrDefault(bucket, List.of()));
        }
        taken.forEach(settlement -> remove(settlement.grant().record()));
        return taken;
    }

    /** Those that were added by then, taken out. */
    List<Settlement> takeUntil(long moment) {
        List<Settlement> taken = new ArrayList<>();
        Iterator<Pending> oldest = byRecord.values().iterator();
        while (oldest.hasNext()) {
            Pending next = oldest.next();
            if (next.since() - moment > 0) {
                break;
            }
            taken.add(next.settlement());
        }
        taken.forEach(settlement -> remove(settlement.grant().record()));
        return taken;
    }

    /** When the oldest was added; {@link Long#MAX_VALUE} if there is none. */
    long oldest() {
        return byRecord.isEmpty()
                ? Long.MAX_VALUE
                : byRecord.values().iterator().next().since();
    }
}
