package io.fila.declaration;

import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fila.client.MissingKey;
import io.fila.client.ThrottleSpec;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds the throttles of a listener method: annotations, meta-annotations, and definitions they refer to. */
public final class ThrottleResolver {

    /** The broker takes no more of one subscription. */
    private static final int MOST = 20;

    private final AttributeExpressions expressions;
    private final ThrottleDefinitions definitions;

    public ThrottleResolver(AttributeExpressions expressions, ThrottleDefinitions definitions) {
        this.expressions = expressions;
        this.definitions = definitions;
    }

    /** The throttles of the method, each name once. */
    public List<ThrottleSpec> resolve(AnnotatedElement method) {
        Set<Throttle> annotations =
                AnnotatedElementUtils.findMergedRepeatableAnnotations(method, Throttle.class, Throttles.class);
        Map<String, ThrottleSpec> byName = new LinkedHashMap<>();
        for (Throttle annotation : annotations) {
            ThrottleSpec throttle = resolve(annotation);
            if (byName.putIfAbsent(throttle.name(), throttle) != null) {
                throw new InvalidDeclarationException(
                        "throttle '" + throttle.name() + "' is declared twice", "put all limits into one declaration");
            }
        }
        if (byName.size() > MOST) {
            throw new InvalidDeclarationException(
                    "there are " + byName.size() + " throttles", "give a listener at most " + MOST);
        }
        return new ArrayList<>(byName.values());
    }

    private ThrottleSpec resolve(Throttle annotation) {
        String name = expressions.text(annotation.name());
        if (name.isEmpty()) {
            throw new InvalidDeclarationException("a throttle has no name", "give it one: @Throttle(\"NAME\")");
        }
        if (annotation.limits().length == 0) {
            return defined(name, annotation);
        }
        ThrottleSpec throttle = new ThrottleSpec(
                name, limits(annotation), expressions.texts(annotation.key()), annotation.whenKeyMissing());
        return ThrottleRules.check(throttle);
    }

    private ThrottleSpec defined(String name, Throttle annotation) {
        ThrottleSpec definition = definitions.find(name);
        if (definition == null) {
            throw new InvalidDeclarationException(
                    "throttle '" + name + "' has no limits and is not defined; defined are " + definitions.names(),
                    "define fila.throttles." + name + ".limits, or give limits in the annotation");
        }
        if (annotation.key().length > 0 || annotation.whenKeyMissing() != MissingKey.SHARED_BUCKET) {
            throw new InvalidDeclarationException(
                    "throttle '" + name + "' has a key or a missing-key policy in the annotation, but no limits",
                    "move them to fila.throttles." + name + ", or give limits in the annotation");
        }
        return definition;
    }

    private List<String> limits(Throttle annotation) {
        return expressions.texts(annotation.limits()).stream()
                .flatMap(entry -> Arrays.stream(entry.split(",")))
                .map(String::strip)
                .filter(limit -> !limit.isEmpty())
                .toList();
    }
}
