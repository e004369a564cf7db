package io.fila.broker.stats;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

import io.fila.broker.stats.QueueStats.DeclaredThrottle;
import org.jspecify.annotations.Nullable;

/**
 * What a queue held at one moment. Ready messages are grouped by the buckets they draw from, and not yet told apart by whether
 * those have room.
 */
record Backlog(Counts counts, List<DeclaredThrottle> throttles, List<Group> groups) {

    /** Messages by state, except for what is ready. */
    record Counts(
            long queueId,
            long delayed,
            long unclassified,
            long leased,
            long deadLettered,
            @Nullable Instant oldestUnclassifiedAt,
            int subscribers) {}

    /** A bucket that messages draw from. */
    record Draw(String throttle, UUID bucket) {}

    /** Ready messages that draw from the same buckets. */
    record Group(List<Draw> draws, long count, Instant oldest) {}

    /** Statistics of the queue, given which buckets have no room. */
    QueueStats stats(Predicate<Draw> withoutRoom) {
        List<Group> ready = groups.stream()
                .filter(group -> group.draws().stream().noneMatch(withoutRoom))
                .toList();
        long all = groups.stream().mapToLong(Group::count).sum();
        long readyCount = ready.stream().mapToLong(Group::count).sum();
        return new QueueStats(
                readyCount,
                counts.delayed(),
                all - readyCount,
                counts.leased(),
                counts.unclassified(),
                counts.deadLettered(),
                ready.stream().map(Group::oldest).min(Comparator.naturalOrder()).orElse(null),
                counts.oldestUnclassifiedAt(),
                counts.subscribers(),
                throttles);
    }

    /** How many ready messages each of those buckets of a throttle holds. */
    Map<UUID, Long> held(String throttle, Set<UUID> withoutRoom) {
        Map<UUID, Long> held = new HashMap<>();
        for (Group group : groups) {
            for (Draw draw : group.draws()) {
                if (draw.throttle().equals(throttle) && withoutRoom.contains(draw.bucket())) {
                    held.merge(draw.bucket(), group.count(), Long::sum);
                }
            }
        }
        return held;
    }

    /** How many ready messages are held by each throttle; those that several hold count for each of them. */
    Map<String, Long> held(Predicate<Draw> withoutRoom) {
        Map<String, Long> held = new HashMap<>();
        for (Group group : groups) {
            for (Draw draw : group.draws()) {
                if (withoutRoom.test(draw)) {
                    held.merge(draw.throttle(), group.count(), Long::sum);
                }
            }
        }
        return held;
    }

    /** The ready messages that draw from a bucket. */
    long drawingFrom(Draw draw) {
        return groups.stream()
                .filter(group -> group.draws().contains(draw))
                .mapToLong(Group::count)
                .sum();
    }
}
