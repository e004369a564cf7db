package io.fila.broker.security;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.StringUtils;

/**
 * Who may call the broker.
 *
 * @param adminToken what callers must present as {@code Authorization: Bearer …}, over HTTP and gRPC; unset or empty, nobody
 *     need present anything, and the broker listens on loopback addresses only
 */
@ConfigurationProperties("fila.broker.security")
record SecurityProperties(@Nullable String adminToken) {

    boolean hasCredential() {
        return StringUtils.hasText(adminToken);
    }

    /** Without the token: this ends up in logs. */
    @Override
    public String toString() {
        return "SecurityProperties[adminToken=" + (hasCredential() ? "set" : "unset") + "]";
    }
}
