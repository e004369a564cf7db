package io.fila.broker.pacing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;

import jakarta.annotation.PreDestroy;

import io.fila.broker.pacing.BucketStore.Settlement;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Settles the records of permits that were handed over, on a thread of its own, so that nobody waits for it. Safe for use by
 * several threads.
 */
@Component
class PermitSettler {

    private final ConcurrentLinkedQueue<Settlement> arrived = new ConcurrentLinkedQueue<>();
    private final Settling settling;
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, threads());
    private final Wakeable work = new Wakeable.Factory(executor, executor).create(this::settle);

    PermitSettler(BucketStore buckets) {
        this.settling = new Settling(buckets);
    }

    void add(Settlement settlement) {
        arrived.add(settlement);
        work.wake();
    }

    @PreDestroy
    void close() {
        work.close();
        executor.shutdownNow();
    }

    private long settle() {
        List<Settlement> left = new ArrayList<>();
        for (Settlement next = arrived.poll(); next != null; next = arrived.poll()) {
            left.add(next);
        }
        left.sort(Comparator.comparingLong(settlement -> settlement.grant().record()));
        while (!left.isEmpty()) {
            settling.settleNow(takeOnePerBucket(left), List.of());
        }
        settling.settleOverdue(System.nanoTime());
        long next = settling.nextOverdue();
        return next == Long.MAX_VALUE ? next : Math.max(0, next - System.nanoTime());
    }

    /** A record can only be settled to what it was handed over at once the one before it is. */
    private static List<Settlement> takeOnePerBucket(List<Settlement> left) {
        Set<UUID> buckets = new HashSet<>();
        List<Settlement> taken = new ArrayList<>();
        left.removeIf(settlement -> {
            boolean isFirst = buckets.add(settlement.grant().bucket());
            if (isFirst) {
                taken.add(settlement);
            }
            return isFirst;
        });
        return taken;
    }

    private static CustomizableThreadFactory threads() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("fila-permits-");
        threads.setDaemon(true);
        return threads;
    }
}
