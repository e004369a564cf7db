package io.fila.broker.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Decides whether a caller may come in. Keeps a digest, not the token. */
@Component
class Credentials {

    static final String REFUSAL = "Authorization: expected 'Bearer' and the broker's admin token";

    private static final String SCHEME = "Bearer ";

    private final byte @Nullable [] expected;

    Credentials(SecurityProperties properties) {
        String token = properties.adminToken();
        expected = token != null && properties.hasCredential() ? digest(token) : null;
    }

    /** Whether an {@code Authorization} of this value may come in. Digests are compared, so that length tells nothing either. */
    boolean accept(@Nullable String authorization) {
        if (expected == null) {
            return true;
        }
        return authorization != null
                && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && MessageDigest.isEqual(
                        expected,
                        digest(authorization.substring(SCHEME.length()).strip()));
    }

    private static byte[] digest(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
