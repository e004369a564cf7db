package io.fila.broker.admin;

import java.util.function.Function;

/**
 * A field that a request may have.
 *
 * @param takesNull {@code null} is a value of it; of other fields it means that the field is absent
 */
record Field<T>(String name, boolean takesNull, Function<JsonInput, T> reader) {

    static <T> Field<T> of(String name, Function<JsonInput, T> reader) {
        return new Field<>(name, false, reader);
    }
}
