package io.fila.broker.jdbc.embedded;

import java.nio.file.Path;
import java.time.Duration;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;

import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The database that the broker brings along.
 *
 * @param dataDir directory of the embedded PostgreSQL, created if it is missing; used only without
 *     {@code spring.datasource.url}. A string, since Spring would look for a {@code Path} on the class path first.
 * @param embedded how the embedded PostgreSQL runs
 */
@Validated
@ConfigurationProperties("fila.broker")
public record EmbeddedPostgresProperties(
        @DefaultValue("./.fila/data") @NotBlank String dataDir,
        @DefaultValue @Valid Embedded embedded) {

    /**
     * How the embedded PostgreSQL runs.
     *
     * @param port port on the loopback address; 0 takes a free one at the first start and keeps to it while it is free
     * @param startTimeout how long to wait for the embedded PostgreSQL to accept connections, the recovery after a
     *     crash included
     */
    public record Embedded(
            @DefaultValue("0") @Min(0) @Max(65535) int port,
            @DefaultValue("2m") @DurationMin(seconds = 1) Duration startTimeout) {}

    /** The data directory, absolute. */
    Path directory() {
        return Path.of(dataDir).toAbsolutePath().normalize();
    }
}
