package io.fila.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.fila.client.DeliveryDurability;
import io.fila.client.MissingKey;
import io.fila.client.QueueSpec;
import io.fila.client.QueueSpec.Ordering.WhenKeyMissing;
import io.fila.client.QueueSpec.Scripts;
import io.fila.client.QueueSpec.WhenScriptFails;
import io.fila.client.QueueSpec.WhenScriptFails.Policy;
import io.fila.client.ThrottleSpec;
import io.fila.declaration.InvalidDeclarationException;
import io.fila.declaration.Names;
import io.fila.declaration.ThrottleDefinitions;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Throttles and queues that are defined in configuration.
 *
 * @param throttles Throttles by name, for listeners that refer to them with @Throttle("NAME"). A name with characters other than
 * lower-case letters, digits and '-' is written in brackets.
 * @param queues Queues by name, created or updated at start. A name with characters other than lower-case letters, digits and
 * '-' is written in brackets.
 */
@ConfigurationProperties("fila")
public record FilaDeclarationProperties(
        @DefaultValue Map<String, Throttle> throttles,
        @DefaultValue Map<String, Queue> queues) {

    public FilaDeclarationProperties {
        throttleDefinitions(throttles);
        queueSpecs(queues);
    }

    /**
     * One throttle.
     *
     * @param limits Limits as N/W, such as 60/1m.
     * @param key Components of the key: header:NAME, attribute:NAME, fairnessKey.
     * @param whenKeyMissing What holds for messages that lack a component of the key.
     */
    public record Throttle(
            @DefaultValue List<String> limits,
            @DefaultValue List<String> key,
            @DefaultValue("shared-bucket") MissingKey whenKeyMissing) {}

    /**
     * One queue; absent settings take the broker's defaults.
     *
     * @param visibilityTimeout How long a delivery is leased.
     * @param retry What follows a failed attempt.
     * @param maxBacklog Sending is refused above so many waiting messages.
     * @param ordering The order that is kept; fixed when the queue is created.
     * @param deliveryDurability What is on disk before a message leaves the broker.
     * @param deadLetterRetention How long the queue's dead letters are kept.
     * @param onEnqueue Lua that defines on_enqueue, which classifies every message.
     * @param onFailure Lua that defines on_failure, which says what becomes of a message whose attempt failed.
     * @param whenScriptFails What becomes of a message that on_enqueue fails for.
     */
    public record Queue(
            @Nullable Duration visibilityTimeout,
            @Nullable Retry retry,
            @Nullable Long maxBacklog,
            @Nullable Ordering ordering,
            @Nullable DeliveryDurability deliveryDurability,
            @Nullable Duration deadLetterRetention,
            @Nullable String onEnqueue,
            @Nullable String onFailure,
            @Nullable ScriptFailure whenScriptFails) {}

    /**
     * What becomes of a message that on_enqueue fails for.
     *
     * @param policy Whether its enqueue is refused, or it is kept as unclassified and tried again.
     * @param deadLetterAfter After how many failed tries a kept message goes to the dead letter queue; none: it is tried for ever.
     */
    public record ScriptFailure(
            @DefaultValue("reject") Policy policy, @Nullable Integer deadLetterAfter) {}

    /**
     * The order that is kept: of each group at most one message is in flight.
     *
     * @param wholeQueue Whether the whole queue is one group.
     * @param key Components whose values make a group: header:NAME, attribute:NAME, fairnessKey.
     * @param whenKeyMissing What becomes of messages that lack a component of the key.
     */
    public record Ordering(
            @DefaultValue("false") boolean wholeQueue,
            @DefaultValue List<String> key,
            @DefaultValue("reject") WhenKeyMissing whenKeyMissing) {}

    /**
     * What follows a failed attempt.
     *
     * @param maxAttempts How often a message is delivered before it is dead-lettered.
     * @param backoff How long the next attempt waits.
     */
    public record Retry(
            @Nullable Integer maxAttempts, @Nullable Backoff backoff) {}

    /**
     * How long the next attempt waits.
     *
     * @param initial Delay before the second attempt; zero: none.
     * @param multiplier By how much the delay grows with each attempt.
     * @param max Longest delay.
     * @param jitter Part of the delay that is random, 0 to 1.
     */
    public record Backoff(
            @Nullable Duration initial,
            @Nullable Double multiplier,
            @Nullable Duration max,
            @Nullable Double jitter) {

        static final Backoff NONE_GIVEN = new Backoff(null, null, null, null);
    }

    ThrottleDefinitions throttleDefinitions() {
        return throttleDefinitions(throttles);
    }

    private static ThrottleDefinitions throttleDefinitions(Map<String, Throttle> throttles) {
        return new ThrottleDefinitions(throttles.entrySet().stream()
                .map(entry -> new ThrottleSpec(
                        entry.getKey(),
                        entry.getValue().limits(),
                        entry.getValue().key(),
                        entry.getValue().whenKeyMissing()))
                .toList());
    }

    List<QueueSpec> queueSpecs() {
        return queueSpecs(queues);
    }

    private static List<QueueSpec> queueSpecs(Map<String, Queue> queues) {
        return queues.entrySet().stream()
                .map(entry -> queueSpec(Names.check("queue", entry.getKey()), entry.getValue()))
                .toList();
    }

    private static QueueSpec queueSpec(String name, Queue queue) {
        String prefix = "fila.queues." + name + ".";
        requirePositive(prefix + "visibility-timeout", queue.visibilityTimeout());
        require(
                queue.maxBacklog() == null || queue.maxBacklog() > 0,
                prefix + "max-backlog",
                queue.maxBacklog(),
                "1 or more");
        requirePositive(prefix + "dead-letter-retention", queue.deadLetterRetention());
        return new QueueSpec(
                name,
                queue.visibilityTimeout(),
                retry(prefix + "retry.", queue.retry()),
                queue.maxBacklog(),
                ordering(prefix + "ordering.", queue.ordering()),
                queue.deliveryDurability(),
                queue.deadLetterRetention(),
                scripts(prefix + "when-script-fails.", queue));
    }

    private static @Nullable Scripts scripts(String prefix, Queue queue) {
        ScriptFailure failure = queue.whenScriptFails();
        if (failure != null) {
            require(
                    failure.deadLetterAfter() == null
                            || failure.deadLetterAfter() > 0 && failure.policy() == Policy.PARK,
                    prefix + "dead-letter-after",
                    failure.deadLetterAfter(),
                    "1 or more, and policy: park");
        }
        if (queue.onEnqueue() == null && queue.onFailure() == null && failure == null) {
            return null;
        }
        return new Scripts(
                queue.onEnqueue(),
                queue.onFailure(),
                failure == null ? null : new WhenScriptFails(failure.policy(), failure.deadLetterAfter()));
    }

    private static QueueSpec.@Nullable Ordering ordering(String prefix, @Nullable Ordering ordering) {
        if (ordering == null) {
            return null;
        }
        require(
                ordering.wholeQueue() == ordering.key().isEmpty(),
                prefix + "key",
                ordering.key(),
                "either components such as header:account, or whole-queue: true");
        return new QueueSpec.Ordering(ordering.key(), ordering.whenKeyMissing());
    }

    private static QueueSpec.@Nullable Retry retry(String prefix, @Nullable Retry retry) {
        if (retry == null) {
            return null;
        }
        require(
                retry.maxAttempts() == null || retry.maxAttempts() > 0,
                prefix + "max-attempts",
                retry.maxAttempts(),
                "1 or more");
        Backoff backoff = retry.backoff() == null ? Backoff.NONE_GIVEN : retry.backoff();
        check(prefix + "backoff.", backoff);
        return new QueueSpec.Retry(
                retry.maxAttempts(), backoff.initial(), backoff.multiplier(), backoff.max(), backoff.jitter());
    }

    private static void check(String prefix, Backoff backoff) {
        Double multiplier = backoff.multiplier();
        Double jitter = backoff.jitter();
        requireNotNegative(prefix + "initial", backoff.initial());
        require(multiplier == null || multiplier >= 1, prefix + "multiplier", multiplier, "1 or more");
        requireNotNegative(prefix + "max", backoff.max());
        require(jitter == null || (jitter >= 0 && jitter <= 1), prefix + "jitter", jitter, "0 to 1");
    }

    private static void requireNotNegative(String property, @Nullable Duration value) {
        require(value == null || !value.isNegative(), property, value, "zero or more, such as 1s");
    }

    private static void requirePositive(String property, @Nullable Duration value) {
        require(
                value == null || (!value.isNegative() && !value.isZero()),
                property,
                value,
                "more than zero, such as 30s");
    }

    private static void require(boolean valid, String property, @Nullable Object actual, String expected) {
        if (!valid) {
            throw new InvalidDeclarationException(property + " is " + actual, "use " + expected);
        }
    }
}
