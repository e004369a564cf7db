package io.fila.broker.message;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.fila.broker.problem.Durations;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.Queue;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Checks what producers give, whichever way it came. */
@Component
class MessageCheck {

    private static final int MAX_WEIGHT = 1000;
    private static final int MAX_FAIRNESS_KEY = 1000;

    /** The first moment that RFC 3339 can write; what lies before is no moment to PostgreSQL either. */
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    private final MessageProperties bounds;

    MessageCheck(MessageProperties bounds) {
        this.bounds = bounds;
    }

    /** Throws a problem, which names the index of the message if {@code indexed}. Returns the bytes they come to. */
    long requireValid(List<NewMessage> messages, boolean indexed) {
        if (messages.isEmpty() || messages.size() > bounds.maxRequestMessages()) {
            throw ProblemException.invalid("messages: expected 1 to %d messages in one request, got %d"
                    .formatted(bounds.maxRequestMessages(), messages.size()));
        }
        long bytes = 0;
        for (int i = 0; i < messages.size(); i++) {
            bytes += requireValid(indexed ? "messages[" + i + "]." : "", messages.get(i));
            if (bytes > bounds.maxRequestSize().toBytes()) {
                throw new ProblemException(
                        ProblemCode.PAYLOAD_TOO_LARGE,
                        "messages: expected at most %d bytes in one request; send them in several"
                                .formatted(bounds.maxRequestSize().toBytes()));
            }
        }
        return bytes;
    }

    /** Throws {@code ordering-key-missing} if the queue's order refuses one of them. */
    static void requireOrderingKey(Queue queue, List<NewMessage> messages, boolean indexed) {
        for (int i = 0; i < messages.size(); i++) {
            requireOrderingKey(queue, messages.get(i), indexed ? "messages[" + i + "]" : "message");
        }
    }

    /** Throws {@code ordering-key-missing} if the queue's order refuses the message. */
    static void requireOrderingKey(Queue queue, Keyed message, String at) {
        Ordering ordering = queue.settings().ordering();
        if (ordering == null || ordering.whenKeyMissing() == WhenKeyMissing.UNORDERED || ordering.hasKey(message)) {
            return;
        }
        throw new ProblemException(
                ProblemCode.ORDERING_KEY_MISSING,
                "%s: queue '%s' is ordered by %s, expected a value of each, got none of %s"
                        .formatted(at, queue.name(), ordering.keyTexts(), ordering.missing(message)));
    }

    private long requireValid(String at, NewMessage message) {
        int payload = message.payload().bytes().length;
        if (payload > bounds.maxPayload().toBytes()) {
            throw new ProblemException(
                    ProblemCode.PAYLOAD_TOO_LARGE,
                    "%spayload: expected at most %d bytes, got %d"
                            .formatted(at, bounds.maxPayload().toBytes(), payload));
        }
        long headers = requireValidHeaders(at, message.headers());
        String fairnessKey = message.fairnessKey();
        if (fairnessKey != null) {
            requireStorable(at + "fairnessKey", fairnessKey);
            if (fairnessKey.length() > MAX_FAIRNESS_KEY) {
                throw ProblemException.invalid("%sfairnessKey: expected at most %d characters, got %d"
                        .formatted(at, MAX_FAIRNESS_KEY, fairnessKey.length()));
            }
        }
        if (message.weight() < 1 || message.weight() > MAX_WEIGHT) {
            throw ProblemException.invalid(
                    "%sweight: expected 1 to %d, got %d".formatted(at, MAX_WEIGHT, message.weight()));
        }
        requireValidDelay(at, message.delay(), message.notBefore());
        return payload + headers;
    }

    private long requireValidHeaders(String at, Map<String, String> headers) {
        if (headers.size() > bounds.maxHeaders()) {
            throw ProblemException.invalid(
                    "%sheaders: expected at most %d, got %d".formatted(at, bounds.maxHeaders(), headers.size()));
        }
        long size = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (header.getKey().isEmpty()) {
                throw ProblemException.invalid(at + "headers: expected a name for every header, got an empty one");
            }
            String field = at + "headers." + Names.shown(header.getKey());
            requireStorable(field, header.getKey());
            requireStorable(field, header.getValue());
            size += header.getKey().getBytes(StandardCharsets.UTF_8).length
                    + header.getValue().getBytes(StandardCharsets.UTF_8).length;
        }
        if (size > bounds.maxHeaderSize().toBytes()) {
            throw ProblemException.invalid("%sheaders: expected at most %d bytes of names and values together, got %d"
                    .formatted(at, bounds.maxHeaderSize().toBytes(), size));
        }
        return size;
    }

    private void requireValidDelay(String at, @Nullable Duration delay, @Nullable Instant notBefore) {
        if (delay != null && notBefore != null) {
            throw ProblemException.invalid(at + "delay: expected at most one of delay and notBefore, got both");
        }
        if (delay != null) {
            Durations.requireBetween(at + "delay", delay, Duration.ZERO, bounds.maxDelay());
        }
        if (notBefore != null && notBefore.isAfter(Instant.now().plus(bounds.maxDelay()))) {
            throw ProblemException.invalid("%snotBefore: expected at most %s from now, got %s"
                    .formatted(at, Durations.format(bounds.maxDelay()), notBefore));
        }
        if (notBefore != null && notBefore.isBefore(EARLIEST)) {
            throw ProblemException.invalid(
                    "%snotBefore: expected %s or later, got %s".formatted(at, EARLIEST, notBefore));
        }
    }

    /** Refuses what PostgreSQL's text cannot hold. */
    private static void requireStorable(String field, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw ProblemException.invalid(field + ": expected text without the character NUL");
            }
            if (Character.isSurrogate(c)) {
                if (Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1))) {
                    i++;
                } else {
                    throw ProblemException.invalid(field + ": expected valid Unicode, got half of a surrogate pair");
                }
            }
        }
    }
}
