package io.fila.client;

import java.util.Set;

import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** Turns the status of a failed call into the exception that callers see. */
final class BrokerErrors {

    static final String UNREACHABLE = "broker-unreachable";
    static final String TIMED_OUT = "timed-out";
    static final String CLOSED = "client-closed";
    static final String OVERLOADED = "client-overloaded";
    static final String BROKER_ERROR = "broker-error";

    static final Metadata.Key<String> CODE = Metadata.Key.of("fila-code", Metadata.ASCII_STRING_MARSHALLER);

    private static final Set<String> RETRYABLE =
            Set.of("storage-unavailable", "queue-full", "rate-limited", "script-timed-out");

    private final String address;

    BrokerErrors(String address) {
        this.address = address;
    }

    /** {@code activity} completes "could not …" and names the queue. */
    FilaException failed(String activity, Throwable error) {
        Status status = Status.fromThrowable(error);
        String code = codeOf(error);
        if (code != null) {
            boolean retryable = RETRYABLE.contains(code) || status.getCode() == Status.Code.UNAVAILABLE;
            return new FilaException(code, "could not " + activity + ": " + status.getDescription(), retryable, error);
        }
        return switch (status.getCode()) {
            // CANCELLED: this client gave up a stream that was not answered
            case UNAVAILABLE, CANCELLED -> unreachable(activity, describe(status), error);
            case DEADLINE_EXCEEDED -> timedOut(activity, error);
            case UNAUTHENTICATED -> refused("unauthenticated", activity, status, error);
            case PERMISSION_DENIED -> refused("forbidden", activity, status, error);
            case INVALID_ARGUMENT -> refused("invalid-request", activity, status, error);
            // what gRPC itself answers to a request above the broker's frame size
            case RESOURCE_EXHAUSTED -> refused("payload-too-large", activity, status, error);
            default -> refused(BROKER_ERROR, activity, status, error);
        };
    }

    FilaException unreachable(String activity, String detail, @Nullable Throwable cause) {
        String message = "could not " + activity + ": no answer from a broker at " + address + " (" + detail
                + "); check the address and that the broker is running";
        return new FilaException(UNREACHABLE, message, true, cause);
    }

    FilaException timedOut(String activity, @Nullable Throwable cause) {
        String message = "could not " + activity + ": the broker at " + address
                + " did not answer within the request timeout; it may have been done all the same";
        return new FilaException(TIMED_OUT, message, true, cause);
    }

    static FilaException closed(String activity) {
        return new FilaException(
                CLOSED, "could not " + activity + ": the client or the subscription has been closed", false, null);
    }

    /** The broker says what is wrong with a part of a stream, and goes on with the rest. */
    static FilaException refused(String activity, String detail) {
        return new FilaException("invalid-request", "could not " + activity + ": " + detail, false, null);
    }

    private static FilaException refused(String code, String activity, Status status, Throwable error) {
        return new FilaException(code, "could not " + activity + ": " + describe(status), false, error);
    }

    private static @Nullable String codeOf(Throwable error) {
        Metadata trailers = Status.trailersFromThrowable(error);
        return trailers == null ? null : trailers.get(CODE);
    }

    private static String describe(Status status) {
        String description = status.getDescription() == null ? "no description" : status.getDescription();
        Throwable cause = status.getCause();
        String detail = cause == null || cause.getMessage() == null ? "" : ", " + cause.getMessage();
        return status.getCode() + ", " + description + detail;
    }
}
