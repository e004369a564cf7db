package io.fila.broker.grpc;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import io.fila.broker.message.Lease;
import io.fila.broker.message.MessageState;
import io.fila.broker.message.NewMessage;
import io.fila.broker.message.Payload;
import io.fila.broker.message.Reclassify;
import io.fila.broker.message.Settlement;
import io.fila.broker.problem.Ids;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.DeliveryDurability;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.RetryChange;
import io.fila.broker.queue.SettingsChange.ScriptsChange;
import io.fila.broker.queue.WhenScriptFails;
import io.fila.broker.throttle.MissingKey;
import io.fila.broker.throttle.ThrottleDeclaration;
import io.fila.protocol.v1.ChangeQueueRequest;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.Extend;
import io.fila.protocol.v1.ListMessagesRequest;
import io.fila.protocol.v1.Nack;
import io.fila.protocol.v1.OutgoingMessage;
import io.fila.protocol.v1.QueueSettings;
import io.fila.protocol.v1.RedriveQueueRequest;
import io.fila.protocol.v1.Refusal;
import io.fila.protocol.v1.RetryPolicy;
import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.Subscription;
import io.fila.protocol.v1.Throttle;
import org.jspecify.annotations.Nullable;

/** Reads what came over gRPC; throws {@code invalid-request} naming the field. */
final class FromProtocol {

    private FromProtocol() {}

    /** Problems name the index of a message if there are several. */
    static List<NewMessage> messages(EnqueueRequest request) {
        List<NewMessage> messages = new ArrayList<>(request.getMessagesCount());
        for (int i = 0; i < request.getMessagesCount(); i++) {
            String at = request.getMessagesCount() == 1 ? "" : "messages[" + i + "].";
            messages.add(message(at, request.getMessages(i)));
        }
        return messages;
    }

    private static NewMessage message(String at, OutgoingMessage message) {
        return new NewMessage(
                message.hasId() ? Ids.parse(at + "id", message.getId()) : null,
                new Payload(message.getPayload().toByteArray(), kind(at, message)),
                message.getHeadersMap(),
                message.hasFairnessKey() ? message.getFairnessKey() : null,
                message.getWeight() == 0 ? 1 : message.getWeight(),
                message.hasDelay() ? duration(at + "delay", message.getDelay()) : null,
                message.hasNotBefore() ? instant(at + "not_before", message.getNotBefore()) : null);
    }

    static List<ThrottleDeclaration> throttles(Subscription subscription) {
        List<ThrottleDeclaration> declarations = new ArrayList<>();
        for (int i = 0; i < subscription.getThrottlesCount(); i++) {
            Throttle throttle = subscription.getThrottles(i);
            String field = "throttles[" + i + "]";
            MissingKey policy = switch (throttle.getWhenKeyMissing()) {
                case MISSING_KEY_SHARED_BUCKET -> MissingKey.SHARED_BUCKET;
                case MISSING_KEY_UNTHROTTLED -> MissingKey.UNTHROTTLED;
                case UNRECOGNIZED ->
                    throw ProblemException.invalid(
                            "%s.when_key_missing: expected shared-bucket (0) or unthrottled (1), got %d"
                                    .formatted(field, throttle.getWhenKeyMissingValue()));
            };
            declarations.add(ThrottleDeclaration.parse(
                    field, throttle.getName(), throttle.getLimitsList(), throttle.getKeyList(), policy));
        }
        return declarations;
    }

    /** What a frame says of leases: what can be carried out, and why the rest cannot. */
    record Settlements(List<Settlement> valid, List<Refusal> refused) {

        boolean isEmpty() {
            return valid.isEmpty() && refused.isEmpty();
        }

        private void add(String lease, Supplier<Settlement> settlement) {
            try {
                valid.add(settlement.get());
            } catch (ProblemException e) {
                refused.add(Refusal.newBuilder()
                        .setLease(lease)
                        .setReason(String.valueOf(e.getMessage()))
                        .build());
            }
        }
    }

    /** What is no lease is refused as a whole: such a consumer cannot be told what became of it. */
    static Settlements settlements(SubscribeRequest frame) {
        Settlements settlements = new Settlements(new ArrayList<>(), new ArrayList<>());
        for (String text : frame.getAckList()) {
            Lease lease = Lease.parse("ack", text);
            settlements.add(text, () -> new Settlement.Ack(lease));
        }
        for (Nack nack : frame.getNackList()) {
            Lease lease = Lease.parse("nack.lease", nack.getLease());
            settlements.add(nack.getLease(), () -> nack(lease, nack));
        }
        for (Extend extend : frame.getExtendList()) {
            Lease lease = Lease.parse("extend.lease", extend.getLease());
            settlements.add(
                    extend.getLease(),
                    () -> new Settlement.Extend(lease, extend.hasBy() ? duration("extend.by", extend.getBy()) : null));
        }
        for (String text : frame.getReleaseList()) {
            Lease lease = Lease.parse("release", text);
            settlements.add(text, () -> new Settlement.Release(lease));
        }
        return settlements;
    }

    private static Settlement nack(Lease lease, Nack nack) {
        return Settlement.nack(
                lease,
                nack.getError(),
                nack.hasRetryAfter() ? duration("nack.retry_after", nack.getRetryAfter()) : null,
                nack.getDeadLetter(),
                nack.hasCloseBucketsFor() ? duration("nack.close_buckets_for", nack.getCloseBucketsFor()) : null,
                nack.getCloseBucketsOfList());
    }

    static SettingsChange settings(QueueSettings settings) {
        return new SettingsChange(
                settings.hasVisibilityTimeout()
                        ? duration("visibility_timeout", settings.getVisibilityTimeout())
                        : null,
                settings.hasRetry() ? retry(settings.getRetry()) : null,
                settings.hasMaxBacklog() ? Optional.of(settings.getMaxBacklog()) : null,
                settings.hasOrdering() ? ordering(settings.getOrdering()) : null,
                durability(settings),
                settings.hasDeadLetterRetention()
                        ? Optional.of(duration("dead_letter_retention", settings.getDeadLetterRetention()))
                        : null,
                scripts(settings, false, false));
    }

    /** Null: none is given, and none taken away. */
    private static @Nullable ScriptsChange scripts(
            QueueSettings settings, boolean removesOnEnqueue, boolean removesOnFailure) {
        @Nullable Optional<String> onEnqueue =
                script("on_enqueue", settings.hasOnEnqueue(), settings.getOnEnqueue(), removesOnEnqueue);
        @Nullable Optional<String> onFailure =
                script("on_failure", settings.hasOnFailure(), settings.getOnFailure(), removesOnFailure);
        @Nullable WhenScriptFails whenScriptFails =
                settings.hasWhenScriptFails() ? whenScriptFails(settings.getWhenScriptFails()) : null;
        return onEnqueue == null && onFailure == null && whenScriptFails == null
                ? null
                : new ScriptsChange(onEnqueue, onFailure, whenScriptFails);
    }

    private static @Nullable Optional<String> script(String field, boolean given, String source, boolean removed) {
        requireNotBoth(field, given, removed);
        if (given && source.indexOf(0) >= 0) {
            throw ProblemException.invalid(field + ": expected text without NUL characters (U+0000), got one");
        }
        return given ? Optional.of(source) : removed ? Optional.empty() : null;
    }

    private static WhenScriptFails whenScriptFails(io.fila.protocol.v1.WhenScriptFails given) {
        WhenScriptFails.Policy policy = switch (given.getPolicy()) {
            case SCRIPT_FAILURE_POLICY_REJECT -> WhenScriptFails.Policy.REJECT;
            case SCRIPT_FAILURE_POLICY_PARK -> WhenScriptFails.Policy.PARK;
            case UNRECOGNIZED ->
                throw ProblemException.invalid("when_script_fails.policy: expected reject (0) or park (1), got %d"
                        .formatted(given.getPolicyValue()));
        };
        return WhenScriptFails.of(
                "when_script_fails", policy, given.hasDeadLetterAfter() ? given.getDeadLetterAfter() : null);
    }

    /** A change of a queue: what is absent stays. */
    static SettingsChange change(ChangeQueueRequest request) {
        QueueSettings given = request.getSettings();
        requireNotBoth("max_backlog", given.hasMaxBacklog(), request.getRemoveMaxBacklog());
        requireNotBoth("dead_letter_retention", given.hasDeadLetterRetention(), request.getRemoveDeadLetterRetention());
        SettingsChange change = settings(given);
        return new SettingsChange(
                change.visibilityTimeout(),
                change.retry(),
                request.getRemoveMaxBacklog() ? Optional.empty() : change.maxBacklog(),
                change.ordering(),
                change.deliveryDurability(),
                request.getRemoveDeadLetterRetention() ? Optional.empty() : change.deadLetterRetention(),
                scripts(given, request.getRemoveOnEnqueue(), request.getRemoveOnFailure()));
    }

    private static void requireNotBoth(String setting, boolean given, boolean removed) {
        if (given && removed) {
            throw ProblemException.invalid(
                    "remove_%1$s: expected at most one of settings.%1$s and remove_%1$s, got both".formatted(setting));
        }
    }

    /** Null: all. */
    static @Nullable MessageState state(ListMessagesRequest request) {
        return switch (request.getState()) {
            case MESSAGE_STATE_UNSPECIFIED -> null;
            case MESSAGE_STATE_READY -> MessageState.READY;
            case MESSAGE_STATE_DELAYED -> MessageState.DELAYED;
            case MESSAGE_STATE_UNCLASSIFIED -> MessageState.UNCLASSIFIED;
            case MESSAGE_STATE_LEASED -> MessageState.LEASED;
            case MESSAGE_STATE_THROTTLED -> MessageState.THROTTLED;
            case UNRECOGNIZED ->
                throw ProblemException.invalid(
                        "state: expected ready (1), delayed (2), unclassified (3) or leased (4), got %d"
                                .formatted(request.getStateValue()));
        };
    }

    private static Ordering ordering(io.fila.protocol.v1.Ordering ordering) {
        WhenKeyMissing policy = switch (ordering.getWhenKeyMissing()) {
            case ORDERING_KEY_MISSING_REJECT -> WhenKeyMissing.REJECT;
            case ORDERING_KEY_MISSING_UNORDERED -> WhenKeyMissing.UNORDERED;
            case UNRECOGNIZED ->
                throw ProblemException.invalid("ordering.when_key_missing: expected reject (0) or unordered (1), got %d"
                        .formatted(ordering.getWhenKeyMissingValue()));
        };
        return Ordering.parse("ordering", ordering.getKeyList(), policy);
    }

    private static @Nullable DeliveryDurability durability(QueueSettings settings) {
        if (!settings.hasDeliveryDurability()) {
            return null;
        }
        return switch (settings.getDeliveryDurability()) {
            case DELIVERY_DURABILITY_COMMITTED -> DeliveryDurability.COMMITTED;
            case DELIVERY_DURABILITY_FAST -> DeliveryDurability.FAST;
            case UNRECOGNIZED ->
                throw ProblemException.invalid("delivery_durability: expected committed (0) or fast (1), got %d"
                        .formatted(settings.getDeliveryDurabilityValue()));
        };
    }

    /** What is larger than any count, since a count has no sign here, is refused like any other that is too large. */
    static int count(RedriveQueueRequest request) {
        return request.getCount() < 0 ? Integer.MAX_VALUE : request.getCount();
    }

    static Reclassify reclassify(RedriveQueueRequest request) {
        return switch (request.getReclassify()) {
            case RECLASSIFY_ALL -> Reclassify.ALL;
            case RECLASSIFY_UNCLASSIFIED -> Reclassify.UNCLASSIFIED;
            case RECLASSIFY_NONE -> Reclassify.NONE;
            case UNRECOGNIZED ->
                throw ProblemException.invalid("reclassify: expected all (0), unclassified (1) or none (2), got %d"
                        .formatted(request.getReclassifyValue()));
        };
    }

    private static RetryChange retry(RetryPolicy retry) {
        return new RetryChange(
                retry.hasMaxAttempts() ? retry.getMaxAttempts() : null,
                retry.hasInitialBackoff() ? duration("retry.initial_backoff", retry.getInitialBackoff()) : null,
                retry.hasMultiplier() ? retry.getMultiplier() : null,
                retry.hasMaxBackoff() ? duration("retry.max_backoff", retry.getMaxBackoff()) : null,
                retry.hasJitter() ? retry.getJitter() : null);
    }

    private static Payload.Kind kind(String at, OutgoingMessage message) {
        return switch (message.getPayloadKind()) {
            case PAYLOAD_KIND_BYTES -> Payload.Kind.BYTES;
            case PAYLOAD_KIND_TEXT -> Payload.Kind.TEXT;
            case PAYLOAD_KIND_JSON -> Payload.Kind.JSON;
            case UNRECOGNIZED ->
                throw ProblemException.invalid("%spayload_kind: expected bytes (0), text (1) or JSON (2), got %d"
                        .formatted(at, message.getPayloadKindValue()));
        };
    }

    private static java.time.Duration duration(String field, Duration duration) {
        try {
            return java.time.Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
        } catch (ArithmeticException e) {
            throw ProblemException.invalid(field + ": expected a duration, got one too large");
        }
    }

    private static Instant instant(String field, Timestamp timestamp) {
        try {
            return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
        } catch (DateTimeException | ArithmeticException e) {
            throw ProblemException.invalid(field + ": expected an instant, got one out of range");
        }
    }
}
