package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fila.broker.problem.ProblemCode;
import org.jspecify.annotations.Nullable;

/**
 * A problem as RFC 9457 writes it.
 *
 * @param incident what the broker's log calls it; only of what nobody expected
 */
record ProblemAnswer(
        String type,
        String title,
        int status,
        String detail,
        String instance,
        String code,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String incident) {

    static ProblemAnswer of(ProblemCode code, String detail, String instance, @Nullable String incident) {
        String words = code.slug().replace('-', ' ');
        return new ProblemAnswer(
                "urn:fila:problem:" + code.slug(),
                Character.toUpperCase(words.charAt(0)) + words.substring(1),
                code.httpStatus(),
                // a caller's text may hold half a surrogate pair, which JSON in UTF-8 cannot
                new String(detail.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8),
                instance,
                code.slug(),
                incident);
    }
}
