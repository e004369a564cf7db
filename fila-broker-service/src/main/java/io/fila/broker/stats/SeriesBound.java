package io.fila.broker.stats;

import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the number of series bounded, and says once that it does. For one thread. */
final class SeriesBound {

    private static final Logger log = LoggerFactory.getLogger(SeriesBound.class);

    private final String what;
    private final int most;
    private boolean warned;

    /** @param what has series: a plural */
    SeriesBound(String what, int most) {
        this.what = what;
        this.most = most;
    }

    /** The first of them. */
    <T> List<T> firstOf(List<T> all) {
        if (all.size() <= most) {
            return all;
        }
        if (!warned) {
            warned = true;
            log.warn(
                    "there are {} {}, more than have gauges of their own: only the first {} by name are measured",
                    all.size(),
                    what,
                    most);
        }
        return all.subList(0, most);
    }
}
