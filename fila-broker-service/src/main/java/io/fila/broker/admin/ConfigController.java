package io.fila.broker.admin;

import java.time.Instant;
import java.util.List;

import io.fila.broker.script.ConfigEntry;
import io.fila.broker.script.ConfigValues;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** The runtime configuration that scripts read with {@code fila.get}. */
@RestController
@RequestMapping(path = Api.V1 + "/config", produces = MediaType.APPLICATION_JSON_VALUE)
class ConfigController {

    private static final Field<String> VALUE = Field.of("value", JsonInput::text);

    private final ConfigValues config;
    private final RequestBodies bodies;
    private final BlockingCalls calls;

    ConfigController(ConfigValues config, RequestBodies bodies, BlockingCalls calls) {
        this.config = config;
        this.bodies = bodies;
        this.calls = calls;
    }

    /** A value as it is shown. */
    record ConfigAnswer(String key, String value, Instant updatedAt) implements Answer {

        static ConfigAnswer of(ConfigEntry entry) {
            return new ConfigAnswer(entry.key(), entry.value(), entry.updatedAt());
        }
    }

    @GetMapping
    Mono<List<ConfigAnswer>> list(ServerHttpRequest request) {
        return bodies.none(
                request,
                List.of("prefix"),
                query -> calls.call(() -> {
                    String prefix = query.text("prefix");
                    return config.list(prefix == null ? "" : prefix).stream()
                            .map(ConfigAnswer::of)
                            .toList();
                }));
    }

    @GetMapping("/{key}")
    Mono<ConfigAnswer> get(@PathVariable String key, ServerHttpRequest request) {
        return bodies.none(request, () -> calls.call(() -> ConfigAnswer.of(config.get(key))));
    }

    @PutMapping("/{key}")
    Mono<ConfigAnswer> put(@PathVariable String key, ServerHttpRequest request) {
        return bodies.of(
                request,
                body -> calls.call(() -> {
                    String value = JsonBody.read(body, in -> in.object(VALUE)).require(VALUE);
                    return ConfigAnswer.of(config.put(key, value));
                }));
    }

    @DeleteMapping("/{key}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> delete(@PathVariable String key, ServerHttpRequest request) {
        return bodies.none(request, () -> calls.run(() -> config.delete(key)));
    }
}
