package io.fila.broker.problem;

import io.grpc.Status;

/** The stable codes of problems, and what they are over HTTP and gRPC. The one table of them. */
public enum ProblemCode {
    INVALID_REQUEST("invalid-request", 400, Status.Code.INVALID_ARGUMENT),
    UNAUTHENTICATED("unauthenticated", 401, Status.Code.UNAUTHENTICATED),
    NOT_FOUND("not-found", 404, Status.Code.UNIMPLEMENTED),
    QUEUE_NOT_FOUND("queue-not-found", 404, Status.Code.NOT_FOUND),
    MESSAGE_NOT_FOUND("message-not-found", 404, Status.Code.NOT_FOUND),
    THROTTLE_NOT_FOUND("throttle-not-found", 404, Status.Code.NOT_FOUND),
    SUBSCRIPTION_NOT_FOUND("subscription-not-found", 404, Status.Code.NOT_FOUND),
    CONFIG_NOT_FOUND("config-not-found", 404, Status.Code.NOT_FOUND),
    METHOD_NOT_ALLOWED("method-not-allowed", 405, Status.Code.UNIMPLEMENTED),
    NOT_ACCEPTABLE("not-acceptable", 406, Status.Code.INVALID_ARGUMENT),
    THROTTLE_CONFLICT("throttle-conflict", 409, Status.Code.FAILED_PRECONDITION),
    QUEUE_NOT_EMPTY("queue-not-empty", 409, Status.Code.FAILED_PRECONDITION),
    IMMUTABLE_SETTING("immutable-setting", 409, Status.Code.FAILED_PRECONDITION),
    MESSAGE_LEASED("message-leased", 409, Status.Code.FAILED_PRECONDITION),
    MESSAGE_AMBIGUOUS("message-ambiguous", 409, Status.Code.FAILED_PRECONDITION),
    PAYLOAD_TOO_LARGE("payload-too-large", 413, Status.Code.INVALID_ARGUMENT),
    UNSUPPORTED_MEDIA_TYPE("unsupported-media-type", 415, Status.Code.INVALID_ARGUMENT),
    LIMIT_NEVER_BINDS("limit-never-binds", 422, Status.Code.INVALID_ARGUMENT),
    INVALID_SCRIPT("invalid-script", 422, Status.Code.INVALID_ARGUMENT),
    SCRIPT_FAILED("script-failed", 422, Status.Code.INVALID_ARGUMENT),
    ORDERING_KEY_MISSING("ordering-key-missing", 422, Status.Code.INVALID_ARGUMENT),
    RESERVED_NAME("reserved-name", 422, Status.Code.INVALID_ARGUMENT),
    QUEUE_FULL("queue-full", 429, Status.Code.RESOURCE_EXHAUSTED),
    RATE_LIMITED("rate-limited", 429, Status.Code.RESOURCE_EXHAUSTED),
    INTERNAL_ERROR("internal-error", 500, Status.Code.INTERNAL),
    SCRIPT_TIMED_OUT("script-timed-out", 503, Status.Code.UNAVAILABLE),
    STORAGE_UNAVAILABLE("storage-unavailable", 503, Status.Code.UNAVAILABLE);

    private final String slug;
    private final int httpStatus;
    private final Status.Code grpcStatus;

    ProblemCode(String slug, int httpStatus, Status.Code grpcStatus) {
        this.slug = slug;
        this.httpStatus = httpStatus;
        this.grpcStatus = grpcStatus;
    }

    /** The code as callers see it: {@code queue-not-found}. */
    public String slug() {
        return slug;
    }

    /** Whether it says nothing of the request: the same may succeed the next time. */
    public boolean isTransient() {
        return this == STORAGE_UNAVAILABLE || this == RATE_LIMITED || this == SCRIPT_TIMED_OUT;
    }

    public int httpStatus() {
        return httpStatus;
    }

    public Status.Code grpcStatus() {
        return grpcStatus;
    }
}
