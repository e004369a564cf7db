package io.fila.broker.throttle;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;

/**
 * What one subscriber declares under one name: checked.
 *
 * @param key in the order given, which is part of the key; empty: one bucket for every message
 */
public record ThrottleDeclaration(String name, List<Limit> limits, List<KeyComponent> key, MissingKey whenKeyMissing) {

    private static final int MAX_LIMITS = 10;
    private static final int MAX_COMPONENTS = 8;
    private static final int MAX_THROTTLES = 20;

    public ThrottleDeclaration {
        limits = List.copyOf(limits);
        key = List.copyOf(key);
    }

    /** Checks what a caller gave; throws {@code invalid-request} or {@code limit-never-binds}. */
    public static ThrottleDeclaration parse(
            String field, String name, List<String> limits, List<String> key, MissingKey whenKeyMissing) {
        Names.require(field + ".name", name);
        if (limits.isEmpty() || limits.size() > MAX_LIMITS) {
            throw ProblemException.invalid("%s.limits: expected 1 to %d limits for throttle '%s', got %d"
                    .formatted(field, MAX_LIMITS, name, limits.size()));
        }
        if (key.size() > MAX_COMPONENTS) {
            throw ProblemException.invalid(
                    "%s.key: expected at most %d components, got %d".formatted(field, MAX_COMPONENTS, key.size()));
        }
        List<Limit> parsed = limits.stream()
                .map(limit -> Limit.parse(field + ".limits", limit))
                .toList();
        List<KeyComponent> components = key.stream()
                .map(part -> KeyComponent.parse(field + ".key", part))
                .toList();
        if (Set.copyOf(components).size() < components.size()) {
            throw ProblemException.invalid("%s.key: a component is given twice: %s".formatted(field, components));
        }
        Limits.requireAllBinding(name, parsed);
        return new ThrottleDeclaration(name, parsed, components, whenKeyMissing);
    }

    /** Refuses too many throttles, and one name twice, in one subscription. */
    public static void requireDistinct(List<ThrottleDeclaration> declarations) {
        if (declarations.size() > MAX_THROTTLES) {
            throw ProblemException.invalid(
                    "throttles: expected at most %d, got %d".formatted(MAX_THROTTLES, declarations.size()));
        }
        Set<String> names = new HashSet<>();
        for (ThrottleDeclaration declaration : declarations) {
            if (!names.add(declaration.name())) {
                throw ProblemException.invalid(
                        "throttles: throttle '%s' is declared twice; give all its limits in one declaration"
                                .formatted(declaration.name()));
            }
        }
    }
}
