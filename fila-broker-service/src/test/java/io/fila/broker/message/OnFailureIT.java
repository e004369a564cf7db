package io.fila.broker.message;

import java.util.Map;
import java.util.UUID;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.SettingsChange.ScriptsChange;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.message.ScriptedQueues.delivery;
import static io.fila.broker.message.ScriptedQueues.nack;
import static io.fila.broker.message.ScriptedQueues.patiently;
import static io.fila.broker.message.ScriptedQueues.settle;
import static java.util.Optional.of;
import static org.assertj.core.api.Assertions.assertThat;

/** What a queue's script says of failed attempts. The queue's own policy would be two attempts. */
class OnFailureIT {

    private static TestBroker broker;
    private static ScriptedQueues queues;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create(), "fila.broker.pacing.sweep-interval=10m");
        queues = new ScriptedQueues(broker);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void sendsToTheDeadLetterQueueWhateverAttemptsAreLeft() {
        QueueName queue = queue("""
                function on_failure(msg)
                  if msg.error == "card declined" then
                    return { action = "dlq" }
                  end
                end
                """);
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            UUID declined = queues.enqueue(queue, "1", Map.of());
            settle(consumer, nack(delivery(consumer, 1), "card declined"));
            assertThat(queues.view(declined).queue()).isEqualTo(queue.deadLetter());
            assertThat(queues.view(declined).failures())
                    .extracting(MessageView.Failure::error)
                    .containsExactly("card declined");

            UUID other = queues.enqueue(queue, "2", Map.of());
            settle(consumer, nack(delivery(consumer, 2), "network"));
            assertThat(queues.view(other).queue()).isEqualTo(queue);
        }
    }

    @Test
    void retriesBeyondThePolicyAndSaysWhen() {
        QueueName queue = queue("""
                function on_failure(msg)
                  if msg.attempts < 4 then
                    return { action = "retry", delay_ms = 1 }
                  end
                  return { action = "retry", delay_ms = 3600000 }
                end
                """);
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            UUID id = queues.enqueue(queue, "1", Map.of());
            for (int attempt = 1; attempt <= 4; attempt++) {
                Delivery delivery = delivery(consumer, attempt);
                assertThat(delivery.attempt()).isEqualTo(attempt);
                settle(consumer, nack(delivery, "again"));
            }

            MessageView waiting = queues.view(id);
            assertThat(waiting.queue()).isEqualTo(queue);
            assertThat(waiting.state()).isEqualTo(MessageState.DELAYED);
            assertThat(waiting.attempts()).isEqualTo(4);
        }
    }

    @Test
    void isToldWhatHappened() {
        QueueName queue = queue("""
                function on_failure(msg)
                  if msg.headers.customer == "acme" and msg.attempts == 1 and msg.redrives == 0
                      and msg.queue == msg.headers.expected_queue and msg.reason == "nack" and msg.error == "no" and #msg.id == 36 then
                    return { action = "dlq" }
                  end
                end
                """);
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            UUID id = queues.enqueue(queue, "1", Map.of("customer", "acme", "expected_queue", queue.value()));
            settle(consumer, nack(delivery(consumer, 1), "no"));

            assertThat(queues.view(id).queue()).isEqualTo(queue.deadLetter());
        }
    }

    @Test
    void saysWhatBecomesOfExpiredLeases() {
        QueueName queue = queue("""
                function on_failure(msg)
                  if msg.reason == "lease_expired" then
                    return { action = "dlq" }
                  end
                end
                """);
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            UUID id = queues.enqueue(queue, "1", Map.of());
            delivery(consumer, 1);

            patiently().until(() -> queues.view(id).queue().equals(queue.deadLetter()));
            assertThat(queues.view(id).failures())
                    .extracting(MessageView.Failure::reason)
                    .containsExactly("lease_expired");
        }
    }

    @Test
    void leavesItToThePolicyWhenItFails() {
        QueueName queue = queue("function on_failure(msg) error('broken') end");
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            UUID id = queues.enqueue(queue, "1", Map.of());
            settle(consumer, nack(delivery(consumer, 1), "first"));
            settle(consumer, nack(delivery(consumer, 2), "second"));

            assertThat(queues.view(id).queue()).isEqualTo(queue.deadLetter());
            assertThat(queues.view(id).failures())
                    .extracting(MessageView.Failure::error)
                    .containsExactly("first", "second");
        }
    }

    @Test
    void leavesItToThePolicyWhenItNeverEndsAndLosesNoLease() {
        QueueName queue = queue("function on_failure(msg) while true do end end");
        try (RecordingConsumer consumer = subscribe(broker, queue, 100, false)) {
            for (int i = 0; i < 10; i++) {
                queues.enqueue(queue, "message " + i, Map.of());
            }
            for (int i = 1; i <= 10; i++) {
                settle(consumer, new Settlement.Nack(delivery(consumer, i).lease(), "no", null, false));
            }

            patiently().until(() -> consumer.count() >= 20);
        }
    }

    @Test
    void isNotAskedAboutWhatItsConsumerHasGivenUp() {
        QueueName queue = queue("function on_failure(msg) return { action = 'retry' } end");
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            UUID id = queues.enqueue(queue, "1", Map.of());
            settle(consumer, new Settlement.Nack(delivery(consumer, 1).lease(), "malformed", null, true));

            assertThat(queues.view(id).queue()).isEqualTo(queue.deadLetter());
        }
    }

    private static QueueName queue(String onFailure) {
        return queues.declare(null, new ScriptsChange(null, of(onFailure), null));
    }
}
