package io.fila.broker.stats;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.stats.Backlog.Draw;
import io.fila.broker.stats.BucketStats.Used;
import io.fila.broker.stats.ThrottleReader.Throttle;
import io.fila.broker.stats.ThrottleStats.Declared;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.KeyComponent;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** {@link Stats} put together from what queues hold and which buckets have no room. */
@Service
class JdbcStats implements Stats {

    private final Snapshots snapshots;
    private final Backlogs backlogs;
    private final ThrottleReader throttles;
    private final BucketReader buckets;

    JdbcStats(Snapshots snapshots, Backlogs backlogs, ThrottleReader throttles, BucketReader buckets) {
        this.snapshots = snapshots;
        this.backlogs = backlogs;
        this.throttles = throttles;
        this.buckets = buckets;
    }

    @Override
    public QueueStats queue(QueueName queue) {
        Backlog backlog = backlogs.of(queue);
        Map<String, BucketCensus> censuses = new HashMap<>();
        return backlog.stats(draw -> censuses.computeIfAbsent(draw.throttle(), buckets::census)
                .withoutRoom()
                .contains(draw.bucket()));
    }

    @Override
    public List<String> throttles() {
        return throttles.names();
    }

    @Override
    public ThrottleStats throttle(String name, int topBuckets) {
        if (topBuckets < 0 || topBuckets > MOST_TOP_BUCKETS) {
            throw ProblemException.invalid(
                    "topBuckets: expected 0 to %d, got %d".formatted(MOST_TOP_BUCKETS, topBuckets));
        }
        Throttle throttle = throttles.get(name);
        BucketCensus census = buckets.census(name);
        Map<UUID, Long> waiting = new HashMap<>();
        for (Backlog backlog : backlogsOf(throttle)) {
            backlog.held(name, census.withoutRoom())
                    .forEach((bucket, count) -> waiting.merge(bucket, count, Long::sum));
        }
        return new ThrottleStats(
                name,
                throttle.state().limits(),
                throttle.declared(),
                throttle.state().key(),
                throttle.state().whenKeyMissing(),
                throttle.queues(),
                throttle.declared().stream().mapToInt(Declared::subscribers).sum(),
                census.active(),
                census.withoutRoom().size(),
                waiting.values().stream().mapToLong(Long::longValue).sum(),
                top(name, census, waiting, topBuckets));
    }

    @Override
    public BucketStats bucket(String name, @Nullable List<String> key) {
        Throttle throttle = throttles.get(name);
        Bucket bucket = Bucket.of(name, throttle.state().key(), keyValues(throttle.state(), key));
        Map<UUID, BucketStats> stored = snapshots.read(
                "read a bucket of throttle '" + name + "'",
                connection -> buckets.describe(connection, List.of(bucket.id()), null));
        BucketStats stats = stored.get(bucket.id());
        if (stats == null) {
            List<Used> unused = throttle.state().limits().stream()
                    .map(limit -> new Used(limit, 0))
                    .toList();
            return new BucketStats(bucket.keyValues(), 0, unused, null, null);
        }
        if (stats.roomAt() == null) {
            return stats;
        }
        Draw draw = new Draw(name, bucket.id());
        return stats.withWaiting(backlogsOf(throttle).stream()
                .mapToLong(backlog -> backlog.drawingFrom(draw))
                .sum());
    }

    /** The buckets that hold most; then, if those are fewer than asked for, active ones. */
    private List<BucketStats> top(String name, BucketCensus census, Map<UUID, Long> waiting, int count) {
        if (count == 0) {
            return List.of();
        }
        List<UUID> chosen = new ArrayList<>(waiting.entrySet().stream()
                .sorted(Map.Entry.<UUID, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(count)
                .map(Map.Entry::getKey)
                .toList());
        Map<UUID, BucketStats> described = snapshots.read("read buckets of throttle '" + name + "'", connection -> {
            if (chosen.size() < count) {
                chosen.addAll(buckets.findActive(connection, name, census.at(), chosen, count - chosen.size()));
            }
            return buckets.describe(connection, chosen, census.at());
        });
        List<BucketStats> top = new ArrayList<>();
        for (UUID bucket : chosen) {
            BucketStats stats = described.get(bucket);
            if (stats != null) {
                top.add(stats.withWaiting(waiting.getOrDefault(bucket, 0L)));
            }
        }
        return top;
    }

    /** Of the queues it is declared on, unless they were deleted meanwhile. */
    private List<Backlog> backlogsOf(Throttle throttle) {
        return throttle.queues().stream()
                .flatMap(queue -> backlogs.find(queue).stream())
                .toList();
    }

    /** Those of the bucket that is asked for; without any, that of an unkeyed throttle, or of messages lacking the key. */
    private static @Nullable List<String> keyValues(ActiveThrottle throttle, @Nullable List<String> key) {
        if (key == null || key.isEmpty()) {
            return throttle.key().isEmpty() ? List.of() : null;
        }
        if (key.size() != throttle.key().size()) {
            throw ProblemException.invalid("key: expected %d values, of [%s], for throttle '%s'; got %d"
                    .formatted(
                            throttle.key().size(),
                            String.join(
                                    ", ",
                                    throttle.key().stream()
                                            .map(KeyComponent::toString)
                                            .toList()),
                            throttle.name(),
                            key.size()));
        }
        return key;
    }
}
