package io.fila.broker.message;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.UUID;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;

/**
 * The right to settle one delivery: which message, and the unguessable token of the claim that leased it. Callers see it as an
 * opaque string.
 */
public record Lease(long sequence, UUID claim) {

    private static final int BYTES = 24;

    /** Reads what {@link #toString} wrote, or throws {@code invalid-request}. */
    public static Lease parse(String field, String text) {
        try {
            byte[] bytes =
                    text.length() > 40 ? new byte[0] : Base64.getUrlDecoder().decode(text);
            if (bytes.length == BYTES) {
                ByteBuffer buffer = ByteBuffer.wrap(bytes);
                return new Lease(buffer.getLong(), new UUID(buffer.getLong(), buffer.getLong()));
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw ProblemException.invalid(
                "%s: expected a lease as a delivery carried it; got '%s'".formatted(field, Names.shown(text)));
    }

    @Override
    public String toString() {
        ByteBuffer buffer = ByteBuffer.allocate(BYTES)
                .putLong(sequence)
                .putLong(claim.getMostSignificantBits())
                .putLong(claim.getLeastSignificantBits());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(buffer.array());
    }
}
