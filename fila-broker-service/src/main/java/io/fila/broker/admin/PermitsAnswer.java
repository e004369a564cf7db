package io.fila.broker.admin;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fila.broker.pacing.PermitAnswer;
import org.jspecify.annotations.Nullable;

/** Whether permits were granted; if not, when there is room. */
record PermitsAnswer(
        boolean granted,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Instant roomAt) implements Answer {

    static PermitsAnswer of(PermitAnswer answer) {
        return new PermitsAnswer(answer.isGranted(), answer.roomAt());
    }
}
