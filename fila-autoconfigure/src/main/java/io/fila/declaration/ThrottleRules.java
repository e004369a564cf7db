package io.fila.declaration;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import io.fila.client.ThrottleSpec;

/**
 * The broker's rules for one throttle, checked before anything is sent: what it would refuse stops the start, and not the listener
 * afterwards. The bounds are those of {@code docs/rest.md}.
 */
public final class ThrottleRules {

    private static final int MAX_LIMITS = 10;
    private static final int MAX_COMPONENTS = 8;
    private static final int LONGEST_COMPONENT = 300;
    private static final Pattern COMPONENT = Pattern.compile("fairnessKey|(header|attribute):.+", Pattern.DOTALL);

    private ThrottleRules() {}

    /** Returns the throttle, or refuses it. */
    public static ThrottleSpec check(ThrottleSpec throttle) {
        try {
            Names.check("throttle", throttle.name());
            checkLimits(throttle.name(), throttle.limits());
            checkKey(throttle.key());
            return throttle;
        } catch (InvalidDeclarationException e) {
            throw e.at("throttle '" + throttle.name() + "'");
        }
    }

    private static void checkLimits(String throttle, List<String> texts) {
        if (texts.isEmpty()) {
            throw new InvalidDeclarationException(
                    "there are no limits", "give at least one, or define fila.throttles." + throttle + ".limits");
        }
        if (texts.size() > MAX_LIMITS) {
            throw new InvalidDeclarationException(
                    "there are " + texts.size() + " limits", "give at most " + MAX_LIMITS);
        }
        List<Limit> byWindow = texts.stream()
                .map(Limit::parse)
                .sorted(Comparator.comparing(Limit::window))
                .toList();
        for (int i = 0; i < byWindow.size(); i++) {
            for (Limit longer : byWindow.subList(i + 1, byWindow.size())) {
                checkBoth(byWindow.get(i), longer);
            }
        }
    }

    /** A limit that never binds is almost surely a mistake. Equality counts as never binding. */
    private static void checkBoth(Limit shorter, Limit longer) {
        if (shorter.window().equals(longer.window())) {
            throw new InvalidDeclarationException(
                    "limits " + shorter + " and " + longer + " have the same window", "keep the stricter one");
        }
        if (shorter.deliveries() >= longer.deliveries()) {
            throw new InvalidDeclarationException(
                    "limit " + shorter + " can never bind: " + longer + " allows no more than " + longer.deliveries()
                            + " in its longer window",
                    "remove one of them");
        }
        long most = shorter.allowsWithin(longer.window());
        if (longer.deliveries() >= most) {
            throw new InvalidDeclarationException(
                    "limit " + longer + " can never bind: " + shorter + " allows at most " + most + " in that time",
                    "remove one of them");
        }
    }

    private static void checkKey(List<String> key) {
        if (key.size() > MAX_COMPONENTS) {
            throw new InvalidDeclarationException(
                    "the key has " + key.size() + " components", "give at most " + MAX_COMPONENTS);
        }
        Set<String> seen = new HashSet<>();
        for (String component : key) {
            if (!COMPONENT.matcher(component).matches()) {
                throw new InvalidDeclarationException(
                        "'" + component + "' is no component of a key",
                        "use header:NAME, attribute:NAME or fairnessKey");
            }
            if (component.length() > LONGEST_COMPONENT || component.indexOf('\0') >= 0) {
                throw new InvalidDeclarationException(
                        "a component of the key has " + component.length() + " characters, or the character NUL",
                        "use at most " + LONGEST_COMPONENT + ", without NUL");
            }
            if (!seen.add(component)) {
                throw new InvalidDeclarationException("'" + component + "' is in the key twice", "remove one of them");
            }
        }
    }
}
