package io.fila.sample;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.fila.sample.stats.DeliveryStats;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Writes one line to the log in each second in which something happened. */
@Component
class StatsLog {

    private static final Logger log = LoggerFactory.getLogger(StatsLog.class);
    private static final double MILLIS_PER_SECOND = 1e3;

    private final DeliveryStats stats;
    /** Used by the scheduler's thread only. */
    private long shown;

    StatsLog(DeliveryStats stats) {
        this.stats = stats;
    }

    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.SECONDS)
    void show() {
        DeliveryStats.Snapshot now = stats.snapshot();
        long happened = now.sent() + now.delivered() + now.accepted() + now.dropped();
        if (happened != shown) {
            shown = happened;
            log.info(line(now));
        }
    }

    static String line(DeliveryStats.Snapshot now) {
        return String.format(
                Locale.ROOT,
                "sent=%d delivered=%d dropped=%d waiting=%d rate=%.2f/s most-in-any-second=%d queue-time=%.1fs",
                now.sent(),
                now.delivered(),
                now.dropped(),
                now.waiting(),
                now.ratePerSecond(),
                now.mostInAnySecond(),
                now.queueTime().last() / MILLIS_PER_SECOND);
    }
}
