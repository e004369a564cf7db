package io.fila.sample.stats;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * What this process has sent and what was delivered to it. Safe for use by several threads.
 *
 * <p>Rates are those of a busy period. It ends when a message comes after more than two seconds in which nothing was waiting.
 */
@Component
public class DeliveryStats {

    /** What the provider allows in a second, and so the size of the groups in which messages come. */
    public static final int LIMIT = 8;

    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final long IDLE_NANOS = Duration.ofSeconds(2).toNanos();

    private final LongSupplier nanoClock;

    // guarded by this
    private long sent;
    private long delivered;
    private long accepted;
    private long dropped;
    private boolean nothingWaits = true;
    private long lastDelivery;
    private final PeakCounter peak = new PeakCounter(WINDOW);
    private final RateMeter rate = new RateMeter(LIMIT);
    private final QueueTimes queueTimes = new QueueTimes();
    private final SecondsHistory history;

    @Autowired
    public DeliveryStats() {
        this(System::nanoTime);
    }

    DeliveryStats(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.history = new SecondsHistory(nanoClock.getAsLong());
    }

    public synchronized void sent(int messages) {
        sent += messages;
    }

    /** A message has reached its listener. The clock is read inside, so that times never fall. */
    public synchronized void delivered(Instant enqueuedAt) {
        long now = nanoClock.getAsLong();
        if (nothingWaits && now - lastDelivery > IDLE_NANOS) {
            rate.reset();
        }
        nothingWaits = false;
        lastDelivery = now;
        delivered++;
        peak.record(now);
        rate.record(now);
        history.record(now);
        queueTimes.record(Duration.between(enqueuedAt, Instant.now()));
    }

    /** The provider has taken a message. */
    public synchronized void accepted() {
        accepted++;
        nothingWaits = accepted >= sent;
    }

    /** The provider has dropped a message; it will be delivered again. */
    public synchronized void dropped() {
        dropped++;
    }

    /** The figures at this instant. */
    public synchronized Snapshot snapshot() {
        long now = nanoClock.getAsLong();
        boolean busy = delivered > 0 && now - lastDelivery <= IDLE_NANOS;
        return new Snapshot(
                sent,
                delivered,
                accepted,
                dropped,
                Math.max(0, sent - accepted),
                peak.most(),
                rate.overall(),
                busy ? rate.recent() : 0,
                queueTimes.snapshot(),
                history.snapshot(now));
    }

    /**
     * The figures at one instant.
     *
     * @param delivered deliveries, repeated ones too
     * @param accepted by the provider
     * @param dropped by the provider
     * @param waiting sent and not accepted yet
     * @param ratePerSecond of the busy period
     * @param currentRate of its latest windows; 0 when idle
     * @param perSecond deliveries in each of the last 60 seconds, the current one last
     */
    public record Snapshot(
            long sent,
            long delivered,
            long accepted,
            long dropped,
            long waiting,
            int mostInAnySecond,
            double ratePerSecond,
            double currentRate,
            QueueTimes.Snapshot queueTime,
            List<Integer> perSecond) {}
}
