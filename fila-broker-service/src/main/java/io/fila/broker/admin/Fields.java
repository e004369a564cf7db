package io.fila.broker.admin;

import java.util.Map;

import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** The fields of one object that was read. */
final class Fields {

    private static final Fields NONE = new Fields("", Map.of());

    private final String path;
    private final Map<String, @Nullable Object> values;

    Fields(String path, Map<String, @Nullable Object> values) {
        this.path = path;
        this.values = values;
    }

    /** Those of an object that is not there. */
    static Fields none() {
        return NONE;
    }

    /** Where the field is, or would be. */
    String path(Field<?> field) {
        return path.isEmpty() ? field.name() : path + "." + field.name();
    }

    boolean has(Field<?> field) {
        return values.get(field.name()) != null;
    }

    /** The value; null if absent. */
    @SuppressWarnings("unchecked")
    <T> @Nullable T get(Field<T> field) {
        return (T) values.get(field.name());
    }

    <T> T get(Field<T> field, T absent) {
        T value = get(field);
        return value == null ? absent : value;
    }

    /** The value, or {@code invalid-request} if it is absent. */
    <T> T require(Field<T> field) {
        T value = get(field);
        if (value == null) {
            throw ProblemException.invalid("%s: required, but missing".formatted(path(field)));
        }
        return value;
    }
}
