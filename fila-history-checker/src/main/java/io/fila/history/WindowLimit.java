package io.fila.history;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * At most {@code count} deliveries and permits in any window of length {@code window}; as many again exactly one window later are
 * allowed.
 */
public record WindowLimit(int count, Duration window) {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})/(\\d{1,9})(ms|s|m|h|d)");

    /**
     * Reads {@code 100/1s}; units are ms, s, m, h and d.
     *
     * @throws IllegalArgumentException saying what was expected
     */
    public static WindowLimit parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches() || form.group(1).matches("0+") || form.group(2).matches("0+")) {
            throw new IllegalArgumentException("expected a limit such as 100/1s or 60/1m, got '" + text + "'");
        }
        Unit unit = Unit.valueOf(form.group(3).toUpperCase(Locale.ROOT));
        Duration window = Duration.ofMillis(Math.multiplyExact(Long.parseLong(form.group(2)), unit.millis));
        return new WindowLimit(Integer.parseInt(form.group(1)), window);
    }

    /** What {@link #parse} reads, in the largest unit that fits whole. */
    @Override
    public String toString() {
        long millis = window.toMillis();
        for (Unit unit : Unit.values()) {
            if (millis % unit.millis == 0) {
                return count + "/" + millis / unit.millis + unit.name().toLowerCase(Locale.ROOT);
            }
        }
        throw new IllegalStateException("no whole milliseconds: " + window);
    }

    /** The largest first. */
    private enum Unit {
        D(86_400_000),
        H(3_600_000),
        M(60_000),
        S(1_000),
        MS(1);

        final long millis;

        Unit(long millis) {
            this.millis = millis;
        }
    }
}
