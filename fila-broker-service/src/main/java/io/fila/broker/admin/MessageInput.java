package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.message.NewMessage;
import io.fila.broker.message.Payload;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** Reads messages to be enqueued: their form. Sizes, counts and delays are the service's to check. */
final class MessageInput {

    /** What elements of a top-level array are called in problems. */
    static final String ROOT = "messages";

    /** A guard of memory while messages are built; the service's bound is at most this. */
    private static final int MAX_MESSAGES = 100_000;

    private static final Field<UUID> ID = Field.of("id", JsonInput::uuid);
    private static final Field<Payload> PAYLOAD = new Field<>("payload", true, MessageInput::payload);
    private static final Field<Payload> PAYLOAD_BASE64 = Field.of("payloadBase64", MessageInput::bytes);
    private static final Field<Map<String, String>> HEADERS = Field.of("headers", JsonInput::texts);
    private static final Field<String> FAIRNESS_KEY = Field.of("fairnessKey", JsonInput::text);
    private static final Field<Integer> WEIGHT = Field.of("weight", in -> (int) in.wholeNumber(1, 1000));
    private static final Field<Duration> DELAY = Field.of("delay", JsonInput::duration);
    private static final Field<Instant> NOT_BEFORE = Field.of("notBefore", JsonInput::instant);

    private MessageInput() {}

    /** Messages of one request, and whether they came as an array. */
    record Batch(boolean array, List<NewMessage> messages) {}

    /** One message, or an array of at least one. */
    static Batch readAll(JsonInput in) {
        if (!in.isArray()) {
            return new Batch(false, List.of(read(in)));
        }
        List<NewMessage> messages = in.array(MAX_MESSAGES, MessageInput::read);
        if (messages.isEmpty()) {
            throw ProblemException.invalid(ROOT + ": expected at least one message, got an empty array");
        }
        return new Batch(true, messages);
    }

    private static NewMessage read(JsonInput in) {
        Fields given = in.object(ID, PAYLOAD, PAYLOAD_BASE64, HEADERS, FAIRNESS_KEY, WEIGHT, DELAY, NOT_BEFORE);
        requireNotBoth(given, PAYLOAD, PAYLOAD_BASE64);
        @Nullable Payload bytes = given.get(PAYLOAD_BASE64);
        return new NewMessage(
                given.get(ID),
                bytes == null ? given.require(PAYLOAD) : bytes,
                given.get(HEADERS, Map.of()),
                given.get(FAIRNESS_KEY),
                given.get(WEIGHT, 1),
                given.get(DELAY),
                given.get(NOT_BEFORE));
    }

    /** A string is text; anything else is JSON, kept as it is written. */
    private static Payload payload(JsonInput in) {
        return in.isString()
                ? new Payload(in.unicodeText().getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT)
                : new Payload(in.raw(), Payload.Kind.JSON);
    }

    private static Payload bytes(JsonInput in) {
        String text = in.text();
        try {
            return new Payload(Base64.getDecoder().decode(text), Payload.Kind.BYTES);
        } catch (IllegalArgumentException e) {
            throw in.wrongType("base64 (RFC 4648, alphabet with '+' and '/')");
        }
    }

    private static void requireNotBoth(Fields given, Field<?> one, Field<?> other) {
        if (given.has(one) && given.has(other)) {
            throw ProblemException.invalid("%s: expected at most one of %s and %s, got both"
                    .formatted(given.path(other), one.name(), other.name()));
        }
    }
}
