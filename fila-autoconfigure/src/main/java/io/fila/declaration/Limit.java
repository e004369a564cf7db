package io.fila.declaration;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** At most {@code deliveries} in any window of length {@code window}. */
record Limit(String text, long deliveries, Duration window) {

    private static final Pattern FORM = Pattern.compile("\\s*(\\d{1,18})\\s*/\\s*(\\S+)\\s*");
    private static final Pattern SIMPLE_DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");
    private static final long MOST = 1_000_000_000;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(31);
    private static final String EXAMPLES = "write N/W with a window in ms, s, m, h or d, such as 100/1s or 60/1m";

    static Limit parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new InvalidDeclarationException("limit '" + text + "' is not of the form N/W", EXAMPLES);
        }
        long deliveries = Long.parseLong(form.group(1));
        if (deliveries == 0) {
            throw new InvalidDeclarationException("limit '" + text + "' allows no delivery at all", EXAMPLES);
        }
        if (deliveries > MOST) {
            throw new InvalidDeclarationException(
                    "limit '" + text + "' allows more than can be counted", "use at most " + MOST + " in a window");
        }
        Duration window = duration(text, form.group(2));
        if (window.compareTo(SHORTEST) < 0 || window.compareTo(LONGEST) > 0) {
            throw new InvalidDeclarationException(
                    "the window of limit '" + text + "' is out of range", "use 1ms to 31d");
        }
        if (window.toNanosPart() % 1_000_000 != 0) {
            throw new InvalidDeclarationException(
                    "the window of limit '" + text + "' is not a whole number of milliseconds", EXAMPLES);
        }
        return new Limit(text.strip(), deliveries, window);
    }

    private static Duration duration(String limit, String text) {
        Matcher simple = SIMPLE_DURATION.matcher(text);
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
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException e) {
            throw new InvalidDeclarationException("the window of limit '" + limit + "' is not a duration", EXAMPLES);
        }
    }

    /** How many deliveries this limit lets pass in any window of {@code other}'s length, or as many as a long can say. */
    long allowsWithin(Duration other) {
        long whole = other.dividedBy(window);
        long windows = window.multipliedBy(whole).equals(other) ? whole : whole + 1;
        return windows > Long.MAX_VALUE / deliveries ? Long.MAX_VALUE : windows * deliveries;
    }

    @Override
    public String toString() {
        return text;
    }
}
