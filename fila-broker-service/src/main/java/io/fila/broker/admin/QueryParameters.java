package io.fila.broker.admin;

import java.util.List;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.MultiValueMap;

/** The parameters behind the question mark, read as strictly as a body. */
final class QueryParameters {

    private final MultiValueMap<String, String> given;

    private QueryParameters(MultiValueMap<String, String> given) {
        this.given = given;
    }

    /** Refuses a parameter that is not among {@code allowed}. */
    static QueryParameters of(ServerHttpRequest request, List<String> allowed) {
        MultiValueMap<String, String> given = request.getQueryParams();
        for (String name : given.keySet()) {
            if (!allowed.contains(name)) {
                throw ProblemException.invalid("%s: there is no such query parameter here; allowed: %s"
                        .formatted(Names.shown(name), allowed.isEmpty() ? "none" : String.join(", ", allowed)));
            }
        }
        return new QueryParameters(given);
    }

    /** Every value given, in order; a parameter without a value is the empty string. */
    List<String> all(String name) {
        return given.getOrDefault(name, List.of()).stream()
                .map(value -> value == null ? "" : value)
                .toList();
    }

    @Nullable String text(String name) {
        List<String> values = all(name);
        if (values.size() > 1) {
            throw ProblemException.invalid("%s: expected once, got %d values".formatted(name, values.size()));
        }
        return values.isEmpty() ? null : values.get(0);
    }

    boolean flag(String name) {
        String text = text(name);
        if (text == null || text.equals("false")) {
            return false;
        }
        if (text.equals("true")) {
            return true;
        }
        throw ProblemException.invalid("%s: expected true or false, got '%s'".formatted(name, Names.shown(text)));
    }

    int number(String name, int absent, int min, int max) {
        String text = text(name);
        if (text == null) {
            return absent;
        }
        if (text.matches("\\d{1,9}")) {
            int number = Integer.parseInt(text);
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw ProblemException.invalid("%s: expected %d to %d, got '%s'".formatted(name, min, max, Names.shown(text)));
    }
}
