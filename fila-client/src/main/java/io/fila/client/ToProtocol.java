package io.fila.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import com.google.protobuf.Timestamp;
import com.google.protobuf.UnsafeByteOperations;
import io.fila.protocol.v1.AcquirePermitsRequest;
import io.fila.protocol.v1.ChangeQueueRequest;
import io.fila.protocol.v1.DeclareQueueRequest;
import io.fila.protocol.v1.ListMessagesRequest;
import io.fila.protocol.v1.Ordering;
import io.fila.protocol.v1.OrderingKeyMissing;
import io.fila.protocol.v1.PayloadKind;
import io.fila.protocol.v1.QueueSettings;
import io.fila.protocol.v1.RetryPolicy;
import io.fila.protocol.v1.ScriptFailurePolicy;
import io.fila.protocol.v1.Subscription;
import io.fila.protocol.v1.Throttle;
import io.fila.protocol.v1.WhenScriptFails;

/** The public types as protocol messages. */
final class ToProtocol {

    private static final int MAX_ERROR_LENGTH = 2_000;
    private static final char REPLACEMENT = '\uFFFD';

    private ToProtocol() {}

    static io.fila.protocol.v1.OutgoingMessage message(OutgoingMessage message) {
        io.fila.protocol.v1.OutgoingMessage.Builder builder = io.fila.protocol.v1.OutgoingMessage.newBuilder()
                // not copied: Payload says that its array does not change
                .setPayload(UnsafeByteOperations.unsafeWrap(message.payload().bytes()))
                .setPayloadKind(kind(message.payload().kind()))
                .putAllHeaders(message.headers())
                .setWeight(message.weight());
        if (message.fairnessKey() != null) {
            builder.setFairnessKey(message.fairnessKey());
        }
        if (message.delay() != null) {
            builder.setDelay(duration(message.delay()));
        }
        if (message.notBefore() != null) {
            builder.setNotBefore(timestamp(message.notBefore()));
        }
        if (message.id() != null) {
            builder.setId(message.id());
        }
        return builder.build();
    }

    static Subscription subscription(SubscriptionSpec spec) {
        Subscription.Builder builder =
                Subscription.newBuilder().setQueue(spec.queue()).setConsumer(spec.consumer());
        spec.throttles().forEach(throttle -> builder.addThrottles(throttle(throttle)));
        return builder.build();
    }

    private static Throttle throttle(ThrottleSpec spec) {
        return Throttle.newBuilder()
                .setName(spec.name())
                .addAllLimits(spec.limits())
                .addAllKey(spec.key())
                .setWhenKeyMissing(missingKey(spec.whenKeyMissing()))
                .build();
    }

    static DeclareQueueRequest queue(QueueSpec spec) {
        QueueSettings.Builder settings = QueueSettings.newBuilder();
        if (spec.visibilityTimeout() != null) {
            settings.setVisibilityTimeout(duration(spec.visibilityTimeout()));
        }
        if (spec.retry() != null) {
            settings.setRetry(retry(spec.retry()));
        }
        if (spec.maxBacklog() != null) {
            settings.setMaxBacklog(spec.maxBacklog());
        }
        if (spec.ordering() != null) {
            settings.setOrdering(ordering(spec.ordering()));
        }
        if (spec.deliveryDurability() != null) {
            settings.setDeliveryDurability(durability(spec.deliveryDurability()));
        }
        if (spec.deadLetterRetention() != null) {
            settings.setDeadLetterRetention(duration(spec.deadLetterRetention()));
        }
        if (spec.scripts() != null) {
            addScripts(settings, spec.scripts());
        }
        return DeclareQueueRequest.newBuilder()
                .setQueue(spec.name())
                .setSettings(settings)
                .build();
    }

    private static void addScripts(QueueSettings.Builder settings, QueueSpec.Scripts scripts) {
        if (scripts.onEnqueue() != null) {
            settings.setOnEnqueue(scripts.onEnqueue());
        }
        if (scripts.onFailure() != null) {
            settings.setOnFailure(scripts.onFailure());
        }
        QueueSpec.WhenScriptFails whenScriptFails = scripts.whenScriptFails();
        if (whenScriptFails != null) {
            WhenScriptFails.Builder given = WhenScriptFails.newBuilder()
                    .setPolicy(
                            switch (whenScriptFails.policy()) {
                                case REJECT -> ScriptFailurePolicy.SCRIPT_FAILURE_POLICY_REJECT;
                                case PARK -> ScriptFailurePolicy.SCRIPT_FAILURE_POLICY_PARK;
                            });
            if (whenScriptFails.deadLetterAfter() != null) {
                given.setDeadLetterAfter(whenScriptFails.deadLetterAfter());
            }
            settings.setWhenScriptFails(given);
        }
    }

    static ChangeQueueRequest change(String queue, QueueChange change) {
        return ChangeQueueRequest.newBuilder()
                .setQueue(queue)
                .setSettings(queue(change.given(queue)).getSettings())
                .setRemoveMaxBacklog(change.removesMaxBacklog())
                .setRemoveDeadLetterRetention(change.removesDeadLetterRetention())
                .setRemoveOnEnqueue(change.removesOnEnqueue())
                .setRemoveOnFailure(change.removesOnFailure())
                .build();
    }

    static ListMessagesRequest query(String queue, MessageQuery query) {
        ListMessagesRequest.Builder request =
                ListMessagesRequest.newBuilder().setQueue(queue).setLimit(query.limit());
        if (query.state() != null) {
            request.setState(state(query.state()));
        }
        if (query.after() != null) {
            request.setAfter(query.after());
        }
        return request.build();
    }

    static io.fila.protocol.v1.Reclassify reclassify(Reclassify reclassify) {
        return switch (reclassify) {
            case ALL -> io.fila.protocol.v1.Reclassify.RECLASSIFY_ALL;
            case UNCLASSIFIED -> io.fila.protocol.v1.Reclassify.RECLASSIFY_UNCLASSIFIED;
            case NONE -> io.fila.protocol.v1.Reclassify.RECLASSIFY_NONE;
        };
    }

    private static io.fila.protocol.v1.MessageState state(MessageState state) {
        return switch (state) {
            case READY -> io.fila.protocol.v1.MessageState.MESSAGE_STATE_READY;
            case DELAYED -> io.fila.protocol.v1.MessageState.MESSAGE_STATE_DELAYED;
            case UNCLASSIFIED -> io.fila.protocol.v1.MessageState.MESSAGE_STATE_UNCLASSIFIED;
            case LEASED -> io.fila.protocol.v1.MessageState.MESSAGE_STATE_LEASED;
            case THROTTLED, UNKNOWN -> throw new IllegalArgumentException("no message is listed as " + state);
        };
    }

    static AcquirePermitsRequest permits(String throttle, List<String> key, int permits) {
        return AcquirePermitsRequest.newBuilder()
                .setThrottle(throttle)
                .addAllKey(key)
                .setPermits(permits)
                .build();
    }

    private static Ordering ordering(QueueSpec.Ordering ordering) {
        OrderingKeyMissing policy = switch (ordering.whenKeyMissing()) {
            case REJECT -> OrderingKeyMissing.ORDERING_KEY_MISSING_REJECT;
            case UNORDERED -> OrderingKeyMissing.ORDERING_KEY_MISSING_UNORDERED;
        };
        return Ordering.newBuilder()
                .addAllKey(ordering.key())
                .setWhenKeyMissing(policy)
                .build();
    }

    private static io.fila.protocol.v1.DeliveryDurability durability(DeliveryDurability durability) {
        return switch (durability) {
            case COMMITTED -> io.fila.protocol.v1.DeliveryDurability.DELIVERY_DURABILITY_COMMITTED;
            case FAST -> io.fila.protocol.v1.DeliveryDurability.DELIVERY_DURABILITY_FAST;
        };
    }

    private static RetryPolicy retry(QueueSpec.Retry retry) {
        RetryPolicy.Builder builder = RetryPolicy.newBuilder();
        if (retry.maxAttempts() != null) {
            builder.setMaxAttempts(retry.maxAttempts());
        }
        if (retry.initialBackoff() != null) {
            builder.setInitialBackoff(duration(retry.initialBackoff()));
        }
        if (retry.multiplier() != null) {
            builder.setMultiplier(retry.multiplier());
        }
        if (retry.maxBackoff() != null) {
            builder.setMaxBackoff(duration(retry.maxBackoff()));
        }
        if (retry.jitter() != null) {
            builder.setJitter(retry.jitter());
        }
        return builder.build();
    }

    static io.fila.protocol.v1.Nack nack(String lease, Nack nack) {
        io.fila.protocol.v1.Nack.Builder builder = io.fila.protocol.v1.Nack.newBuilder()
                .setLease(lease)
                .setError(storable(nack.error()))
                .setDeadLetter(nack.deadLetter());
        if (nack.retryAfter() != null) {
            builder.setRetryAfter(duration(nack.retryAfter()));
        }
        if (nack.closeBucketsFor() != null) {
            builder.setCloseBucketsFor(duration(nack.closeBucketsFor())).addAllCloseBucketsOf(nack.closeBucketsOf());
        }
        return builder.build();
    }

    static com.google.protobuf.Duration duration(Duration duration) {
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(duration.getSeconds())
                .setNanos(duration.getNano())
                .build();
    }

    private static Timestamp timestamp(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }

    private static PayloadKind kind(Payload.Kind kind) {
        return switch (kind) {
            case BYTES -> PayloadKind.PAYLOAD_KIND_BYTES;
            case TEXT -> PayloadKind.PAYLOAD_KIND_TEXT;
            case JSON -> PayloadKind.PAYLOAD_KIND_JSON;
        };
    }

    private static io.fila.protocol.v1.MissingKey missingKey(MissingKey policy) {
        return switch (policy) {
            case SHARED_BUCKET -> io.fila.protocol.v1.MissingKey.MISSING_KEY_SHARED_BUCKET;
            case UNTHROTTLED -> io.fila.protocol.v1.MissingKey.MISSING_KEY_UNTHROTTLED;
        };
    }

    /** Cut, and without what the broker cannot keep: NUL, and halves of surrogate pairs. */
    private static String storable(String error) {
        StringBuilder text = new StringBuilder(error);
        text.setLength(Math.min(error.length(), MAX_ERROR_LENGTH));
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                text.setCharAt(i, REPLACEMENT);
            }
        }
        return text.toString();
    }
}
