package io.fila.declaration;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

import io.fila.client.ThrottleSpec;
import org.jspecify.annotations.Nullable;

/** Throttles that are defined in configuration, by name; immutable. */
public final class ThrottleDefinitions {

    private final Map<String, ThrottleSpec> byName = new LinkedHashMap<>();

    public ThrottleDefinitions(Collection<ThrottleSpec> throttles) {
        throttles.forEach(throttle -> byName.put(throttle.name(), ThrottleRules.check(throttle)));
    }

    @Nullable ThrottleSpec find(String name) {
        return byName.get(name);
    }

    /** The names that are defined, for people to choose from. */
    Collection<String> names() {
        return byName.keySet();
    }
}
