package io.fila.broker.admin;

import java.util.Collection;
import java.util.List;

/** Values as callers write them. */
final class Texts {

    private Texts() {}

    static List<String> of(Collection<?> values) {
        return values.stream().map(Object::toString).toList();
    }
}
