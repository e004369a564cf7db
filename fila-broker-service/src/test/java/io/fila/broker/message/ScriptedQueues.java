package io.fila.broker.message;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.RetryChange;
import io.fila.broker.queue.SettingsChange.ScriptsChange;
import io.fila.broker.queue.WhenScriptFails;
import org.awaitility.core.ConditionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Queues with scripts on a node, and what tests do with them. */
final class ScriptedQueues {

    static final WhenScriptFails PARK = new WhenScriptFails(WhenScriptFails.Policy.PARK, null);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final TestBroker broker;

    ScriptedQueues(TestBroker broker) {
        this.broker = broker;
    }

    static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5));
    }

    QueueName declare(String onEnqueue, WhenScriptFails whenScriptFails) {
        return declare(null, new ScriptsChange(Optional.of(onEnqueue), null, whenScriptFails));
    }

    QueueName declare(Ordering ordering, ScriptsChange scripts) {
        QueueName queue = QueueName.of("scripted-" + NUMBER.incrementAndGet());
        RetryChange retry = new RetryChange(2, Duration.ofMillis(50), 1.0, Duration.ofMillis(50), 0.0);
        broker.bean(Queues.class)
                .declare(queue, new SettingsChange(Duration.ofSeconds(1), retry, null, ordering, null, null, scripts));
        return queue;
    }

    void change(QueueName queue, String onEnqueue) {
        broker.bean(Queues.class)
                .change(queue, SettingsChange.of(new ScriptsChange(Optional.of(onEnqueue), null, null)));
    }

    UUID enqueue(QueueName queue, String text, Map<String, String> headers) {
        return enqueue(queue, message(text, headers));
    }

    UUID enqueue(QueueName queue, NewMessage... messages) {
        try {
            return broker.bean(Messages.class)
                    .enqueue(queue, List.of(messages))
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join()
                    .get(0)
                    .id();
        } catch (CompletionException e) {
            throw e.getCause() instanceof ProblemException problem ? problem : e;
        }
    }

    static NewMessage message(String text, Map<String, String> headers) {
        return new NewMessage(
                null,
                new Payload(text.getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT),
                headers,
                null,
                1,
                null,
                null);
    }

    MessageView view(UUID id) {
        return broker.bean(Messages.class).get(id);
    }

    List<MessageView> list(QueueName queue) {
        return broker.bean(Messages.class).list(queue, null, 100, null).messages();
    }

    /** Waits for the n-th delivery, from 1. */
    static Delivery delivery(RecordingConsumer consumer, int number) {
        patiently().until(() -> consumer.count() >= number);
        return consumer.handed().get(number - 1).delivery();
    }

    static String text(Delivery delivery) {
        return new String(delivery.payload().bytes(), StandardCharsets.UTF_8);
    }

    static void settle(RecordingConsumer consumer, Settlement settlement) {
        assertThat(consumer.stream()
                        .settle(List.of(settlement))
                        .orTimeout(30, TimeUnit.SECONDS)
                        .join())
                .isEmpty();
    }

    static Settlement nack(Delivery delivery, String error) {
        return new Settlement.Nack(delivery.lease(), error, null, false);
    }
}
