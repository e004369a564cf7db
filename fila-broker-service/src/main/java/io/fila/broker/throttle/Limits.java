package io.fila.broker.throttle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

import io.fila.broker.problem.Durations;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;

/** Rules about several limits that are in force together. */
public final class Limits {

    private Limits() {}

    /**
     * Refuses limits of one declaration of which one can never bind: for windows {@code Ws < Wl}, the short one never binds if
     * {@code Ns >= Nl}, the long one never binds if {@code Nl >= Ns * ceil(Wl/Ws)}, and of two with the same window one never
     * does.
     */
    public static void requireAllBinding(String throttle, List<Limit> limits) {
        for (int i = 0; i < limits.size(); i++) {
            for (int j = i + 1; j < limits.size(); j++) {
                requireBothBinding(throttle, limits.get(i), limits.get(j));
            }
        }
    }

    /** The limits that matter when all of {@code declared} apply: what can never bind is left out; by window. */
    public static List<Limit> effective(Collection<Limit> declared) {
        TreeMap<Duration, Limit> byWindow = new TreeMap<>();
        for (Limit limit : declared) {
            byWindow.merge(limit.window(), limit, (a, b) -> a.count() <= b.count() ? a : b);
        }
        List<Limit> kept = new ArrayList<>(byWindow.values());
        kept.removeIf(limit -> byWindow.tailMap(limit.window(), false).values().stream()
                .anyMatch(longer -> limit.count() >= longer.count()));
        List<Limit> binding = new ArrayList<>();
        for (Limit limit : kept) {
            if (binding.stream().noneMatch(shorter -> limit.count() >= mostWithin(shorter, limit.window()))) {
                binding.add(limit);
            }
        }
        binding.sort(Comparator.comparing(Limit::window));
        return List.copyOf(binding);
    }

    /** The most that {@code limit} lets through in a window of that length. */
    private static long mostWithin(Limit limit, Duration window) {
        long length = limit.window().toMillis();
        long windows = (window.toMillis() + length - 1) / length;
        return limit.count() * windows;
    }

    private static void requireBothBinding(String throttle, Limit a, Limit b) {
        Limit small = a.window().compareTo(b.window()) <= 0 ? a : b;
        Limit large = small == a ? b : a;
        if (small.window().equals(large.window())) {
            throw neverBinds(
                    "limits %s and %s of throttle '%s' have the same window, so only the lower one can bind; remove one of them"
                            .formatted(a, b, throttle));
        }
        if (small.count() >= large.count()) {
            throw neverBinds(
                    "limit %s of throttle '%s' can never bind: %s allows at most %d in any %s; remove one of them"
                            .formatted(small, throttle, large, large.count(), Durations.format(large.window())));
        }
        long most = mostWithin(small, large.window());
        if (large.count() >= most) {
            throw neverBinds("limit %s of throttle '%s' can never bind: %s allows at most %d in %s; remove one of them"
                    .formatted(large, throttle, small, most, Durations.format(large.window())));
        }
    }

    private static ProblemException neverBinds(String detail) {
        return new ProblemException(ProblemCode.LIMIT_NEVER_BINDS, detail);
    }
}
