package io.fila.broker.stats;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import jakarta.annotation.PreDestroy;

import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.stats.Backlog.Draw;
import io.fila.broker.stats.StatsGauges.ThrottleSample;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Samples queues and throttles for their gauges, one after the other on a thread of its own. After a sample it rests for the
 * interval, and at least 49 times as long as the sample took: sampling takes no more than a fiftieth of the time, however much there
 * is, and a slow database is asked less, and never twice at a time. What
 * cannot be sampled has no series, rather than old values.
 */
@Component
class StatsSampler {

    private static final Logger log = LoggerFactory.getLogger(StatsSampler.class);
    private static final int MOST = 1_000;
    private static final int REST = 49;

    private final Backlogs backlogs;
    private final ThrottleReader throttles;
    private final BucketReader buckets;
    private final StatsGauges gauges;
    private final Duration interval;
    private final SeriesBound queueBound = new SeriesBound("queues", MOST);
    private final SeriesBound throttleBound = new SeriesBound("throttles", MOST);
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread sampler = new Thread(task, "fila-stats");
        sampler.setDaemon(true);
        return sampler;
    });

    private boolean failing;

    StatsSampler(
            Backlogs backlogs,
            ThrottleReader throttles,
            BucketReader buckets,
            StatsGauges gauges,
            StatsProperties properties) {
        this.backlogs = backlogs;
        this.throttles = throttles;
        this.buckets = buckets;
        this.gauges = gauges;
        this.interval = properties.interval();
    }

    @EventListener(ApplicationReadyEvent.class)
    void start() {
        thread.execute(this::run);
    }

    @PreDestroy
    void close() throws InterruptedException {
        thread.shutdownNow();
        thread.awaitTermination(5, TimeUnit.SECONDS);
    }

    private void run() {
        long began = System.nanoTime();
        sampleQuietly();
        long rest = Math.max(interval.toNanos(), REST * (System.nanoTime() - began));
        if (!thread.isShutdown()) {
            thread.schedule(this::run, rest, TimeUnit.NANOSECONDS);
        }
    }

    void sampleQuietly() {
        try {
            sample();
            failing = false;
        } catch (RuntimeException e) {
            gauges.show(Map.of(), Map.of());
            // the database being away is said elsewhere, and a lasting fault once
            if (!failing && !(e instanceof ProblemException)) {
                log.error("could not sample queues and throttles; trying again", e);
            }
            failing = true;
        }
    }

    private void sample() {
        Map<String, BucketCensus> censuses = new HashMap<>();
        List<String> names = throttleBound.firstOf(throttles.names());
        names.forEach(name -> censuses.put(name, buckets.census(name)));
        Predicate<Draw> withoutRoom = draw -> censuses.computeIfAbsent(draw.throttle(), buckets::census)
                .withoutRoom()
                .contains(draw.bucket());
        Map<QueueName, QueueStats> queues = new HashMap<>();
        Map<String, Long> waiting = new HashMap<>();
        for (QueueName name : queueBound.firstOf(backlogs.names())) {
            backlogs.find(name).ifPresent(backlog -> {
                queues.put(name, backlog.stats(withoutRoom));
                backlog.held(withoutRoom).forEach((throttle, held) -> waiting.merge(throttle, held, Long::sum));
            });
        }
        Map<String, ThrottleSample> samples = new HashMap<>();
        names.forEach(name -> samples.put(
                name, sample(censuses.computeIfAbsent(name, buckets::census), waiting.getOrDefault(name, 0L))));
        gauges.show(queues, samples);
    }

    private static ThrottleSample sample(BucketCensus census, long waiting) {
        return new ThrottleSample(census.active(), census.withoutRoom().size(), waiting);
    }
}
