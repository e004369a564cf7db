package io.fila.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import static org.assertj.core.api.Assertions.assertThat;

/** What a future failed with. */
final class Problems {

    private Problems() {}

    static FilaException problem(CompletableFuture<?> answer) {
        Throwable failure = assertThat(answer)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .actual()
                .getCause();
        assertThat(failure).isInstanceOf(FilaException.class);
        return (FilaException) failure;
    }
}
