package io.fila.broker.throttle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Names a combination of values by 128 bits of the SHA-256 of its canonical form: each value with its length, and absence as
 * something no value can be. Equal combinations have equal names on every node, so names need no table to be agreed on.
 * Not for use by several threads.
 */
public final class KeyHash {

    private static final int ABSENT = -1;

    private final MessageDigest digest;
    private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);

    public KeyHash() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    public KeyHash add(@Nullable String value) {
        if (value == null) {
            return addLength(ABSENT);
        }
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        addLength(bytes.length);
        digest.update(bytes);
        return this;
    }

    /** The name of what has been added. */
    public UUID toUuid() {
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        return new UUID(hash.getLong(), hash.getLong());
    }

    private KeyHash addLength(int value) {
        digest.update(length.clear().putInt(value).flip());
        return this;
    }
}
