package io.fila.broker.throttle;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.fila.broker.problem.Durations;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;

/**
 * At most {@code count} deliveries in any window of length {@code window} (half-open: as many again exactly {@code window}
 * later are allowed).
 */
public record Limit(int count, Duration window) {

    private static final Pattern FORM = Pattern.compile("([+-]?\\d{1,18})\\s*/\\s*(\\S+)");
    private static final Duration MIN_WINDOW = Duration.ofMillis(1);
    private static final Duration MAX_WINDOW = Duration.ofDays(31);
    private static final int MAX_COUNT = 1_000_000_000;

    /** Parses {@code N/W}, or throws {@code invalid-request}. */
    public static Limit parse(String field, String text) {
        Matcher form = FORM.matcher(text.trim());
        if (!form.matches()) {
            throw ProblemException.invalid(
                    "%s: expected N/W, such as 100/1s or 60/1m; got '%s'".formatted(field, Names.shown(text)));
        }
        long count = Long.parseLong(form.group(1));
        if (count < 1 || count > MAX_COUNT) {
            throw ProblemException.invalid("%s: expected 1 to %d deliveries in a window, got '%s'"
                    .formatted(field, MAX_COUNT, Names.shown(text)));
        }
        Duration window = Durations.parse(field, form.group(2));
        Durations.requireBetween(field, window, MIN_WINDOW, MAX_WINDOW);
        if (window.toNanosPart() % 1_000_000 != 0) {
            throw ProblemException.invalid(
                    "%s: expected a window in whole milliseconds, got '%s'".formatted(field, Names.shown(text)));
        }
        return new Limit((int) count, window);
    }

    /** {@code 60/1m}: what {@link #parse} reads. */
    @Override
    public String toString() {
        return count + "/" + Durations.format(window);
    }
}
