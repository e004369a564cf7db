package io.fila.broker.problem;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as users write them: {@code 250ms}, {@code 30s}, {@code 1m}, {@code 2h}, {@code 1d}, or ISO-8601. */
public final class Durations {

    private static final Pattern SIMPLE = Pattern.compile("(\\d{1,15})(ms|s|m|h|d)");

    /** In seconds: milliseconds of anything longer do not fit into a long. */
    private static final long LONGEST_IN_MILLIS = Long.MAX_VALUE / 1000 - 1;

    private Durations() {}

    /** Parses, or throws {@code invalid-request} naming the field. */
    public static Duration parse(String field, String text) {
        Matcher simple = SIMPLE.matcher(text);
        try {
            if (simple.matches()) {
                long amount = Long.parseLong(simple.group(1));
                return switch (simple.group(2)) {
                    case "ms" -> Duration.ofMillis(amount);
                    case "s" -> Duration.ofSeconds(amount);
                    case "m" -> Duration.ofMinutes(amount);
                    case "h" -> Duration.ofHours(amount);
                    default -> Duration.ofDays(amount);
                };
            }
            return Duration.parse(text);
        } catch (DateTimeParseException | ArithmeticException e) {
            throw ProblemException.invalid("%s: expected a duration such as 250ms, 30s, 1m, 2h, 1d or PT30S; got '%s'"
                    .formatted(field, Names.shown(text)));
        }
    }

    /** The shortest way to write it: the largest unit that fits whole. */
    public static String format(Duration duration) {
        if (duration.isNegative()
                || duration.toNanosPart() % 1_000_000 != 0
                || duration.getSeconds() > LONGEST_IN_MILLIS) {
            return duration.toString();
        }
        long millis = duration.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        if (seconds % 3600 != 0) {
            return seconds / 60 + "m";
        }
        return seconds % 86_400 == 0 ? seconds / 86_400 + "d" : String.format(Locale.ROOT, "%dh", seconds / 3600);
    }

    /** Returns the duration, or throws {@code invalid-request} naming the field. Both bounds are allowed. */
    public static Duration requireBetween(String field, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw ProblemException.invalid(
                    "%s: expected %s to %s, got %s".formatted(field, format(min), format(max), format(value)));
        }
        return value;
    }
}
