package io.fila.broker.message;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.message.Redriven.Kept;
import io.fila.broker.node.Node;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.ScriptsChange;
import io.fila.broker.queue.WhenScriptFails;
import io.fila.broker.queue.WhenScriptFails.Policy;
import io.fila.broker.script.ConfigValues;
import io.fila.broker.stats.Stats;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.message.ScriptedQueues.PARK;
import static io.fila.broker.message.ScriptedQueues.delivery;
import static io.fila.broker.message.ScriptedQueues.message;
import static io.fila.broker.message.ScriptedQueues.patiently;
import static io.fila.broker.message.ScriptedQueues.settle;
import static io.fila.broker.message.ScriptedQueues.text;
import static java.util.Optional.of;
import static org.assertj.core.api.Assertions.assertThat;

/** Messages whose queue's script failed, and what becomes of them. */
class ParkedMessagesIT {

    private static final String FAILING = "function on_enqueue(msg) error('no such account') end";
    private static final String FIXED = "function on_enqueue(msg) return { fairness_key = 'fixed' } end";

    private static final String FAILING_IF_BAD = """
            function on_enqueue(msg)
              if msg.headers.bad and not fila.get("repaired") then
                error("bad")
              end
              return { fairness_key = msg.headers.group, attributes = { seen = "yes" } }
            end
            """;

    private static String url;
    private static TestBroker broker;
    private static ScriptedQueues queues;

    @BeforeAll
    static void start() {
        url = TestDatabase.create();
        broker = TestBroker.start(url, "fila.broker.pacing.sweep-interval=10m");
        queues = new ScriptedQueues(broker);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void areNotDeliveredAndThenAreWhenTheScriptIsFixed() {
        QueueName queue = queues.declare(FAILING, PARK);
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            UUID id = queues.enqueue(queue, "parked", Map.of());

            MessageView parked = queues.view(id);
            assertThat(parked.state()).isEqualTo(MessageState.UNCLASSIFIED);
            assertThat(parked.notBefore()).isNull();
            assertThat(parked.failures().get(0).reason()).isEqualTo("script_failed");
            assertThat(parked.failures().get(0).error()).contains("no such account");
            consumer.awaitNothing();
            assertThat(consumer.count()).isZero();
            assertThat(broker.bean(Stats.class).queue(queue).unclassified()).isOne();

            queues.change(queue, FIXED);

            assertThat(delivery(consumer, 1).fairnessKey()).isEqualTo("fixed");
        }
    }

    @Test
    void areTriedAgainByThemselves() {
        QueueName queue = queues.declare(FAILING_IF_BAD, PARK);
        ConfigValues config = broker.bean(ConfigValues.class);
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            queues.enqueue(queue, "bad", Map.of("bad", "yes", "group", "g"));
            config.put("repaired", "yes");
            Delivery delivered = delivery(consumer, 1);

            assertThat(delivered.fairnessKey()).isEqualTo("g");
            assertThat(delivered.attributes()).isEqualTo(Map.of("seen", "yes"));
            assertThat(delivered.attempt()).isOne();
        } finally {
            config.delete("repaired");
        }
    }

    @Test
    void becomeWhatTheirProducerSaidWhenThereIsNoScriptAnyMore() {
        QueueName queue = queues.declare(FAILING, PARK);
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            NewMessage given = message("parked", Map.of());
            queues.enqueue(queue, new NewMessage(null, given.payload(), given.headers(), "mine", 1, null, null));

            broker.bean(Queues.class).change(queue, SettingsChange.of(new ScriptsChange(Optional.empty(), null, null)));

            assertThat(delivery(consumer, 1).fairnessKey()).isEqualTo("mine");
        }
    }

    @Test
    void keepTheirDelay() {
        QueueName queue = queues.declare(FAILING, PARK);
        NewMessage given = message("later", Map.of());
        UUID id = queues.enqueue(
                queue, new NewMessage(null, given.payload(), given.headers(), null, 1, Duration.ofHours(1), null));
        assertThat(queues.view(id).state()).isEqualTo(MessageState.UNCLASSIFIED);

        queues.change(queue, FIXED);

        patiently().until(() -> queues.view(id).state() == MessageState.DELAYED);
    }

    @Test
    void doNotHoldBackOthersOfAQueueWithoutOrder() {
        QueueName queue = queues.declare(FAILING_IF_BAD, PARK);
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            queues.enqueue(queue, message("bad", Map.of("bad", "yes")), message("good", Map.of()));

            assertThat(text(delivery(consumer, 1))).isEqualTo("good");
            consumer.awaitNothing();
            assertThat(consumer.count()).isOne();
        }
    }

    @Test
    void stopAnOrderedQueueUntilTheyAreClassified() {
        QueueName queue = queues.declare(
                Ordering.parse("ordering", List.of("fairnessKey"), WhenKeyMissing.UNORDERED),
                new ScriptsChange(of(FAILING_IF_BAD), null, PARK));
        ConfigValues config = broker.bean(ConfigValues.class);
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            queues.enqueue(
                    queue,
                    message("a1", Map.of("group", "A")),
                    message("bad", Map.of("bad", "yes", "group", "A")),
                    message("a2", Map.of("group", "A")),
                    message("b1", Map.of("group", "B")),
                    message("nobody's", Map.of()));
            Delivery first = delivery(consumer, 1);
            assertThat(text(first)).isEqualTo("a1");
            settle(consumer, new Settlement.Ack(first.lease()));
            consumer.awaitNothing();
            assertThat(consumer.count()).isOne();

            config.put("repaired", "yes");
            patiently().until(() -> consumer.count() == 4);

            assertThat(consumer.handed().subList(1, 4))
                    .extracting(handed -> text(handed.delivery()))
                    .containsExactlyInAnyOrder("bad", "b1", "nobody's");
            Delivery bad = consumer.handed().stream()
                    .map(RecordingConsumer.Handed::delivery)
                    .filter(delivery -> text(delivery).equals("bad"))
                    .findFirst()
                    .orElseThrow();
            settle(consumer, new Settlement.Ack(bad.lease()));
            assertThat(text(delivery(consumer, 5))).isEqualTo("a2");
        } finally {
            config.delete("repaired");
        }
    }

    /** By a signal: its own sweep would come too late. */
    @Test
    void letAnOrderedQueueGoOnAtAnotherNode() {
        QueueName queue = queues.declare(
                new Ordering(List.of(), WhenKeyMissing.REJECT), new ScriptsChange(of(FAILING_IF_BAD), null, PARK));
        try (TestBroker other = TestBroker.start(url, "fila.broker.pacing.sweep-interval=10m")) {
            patiently().until(() -> broker.bean(Node.class).hasOthers());
            try (RecordingConsumer consumer = subscribe(other, queue)) {
                queues.enqueue(queue, message("bad", Map.of("bad", "yes")), message("good", Map.of()));
                consumer.awaitNothing();
                assertThat(consumer.count()).isZero();

                queues.change(queue, FIXED);

                assertThat(text(delivery(consumer, 1))).isEqualTo("bad");
                assertThat(text(delivery(consumer, 2))).isEqualTo("good");
            }
        }
    }

    @Test
    void letAnOrderedQueueGoOnWhenTheyAreCancelled() {
        QueueName queue = queues.declare(
                new Ordering(List.of(), WhenKeyMissing.REJECT), new ScriptsChange(of(FAILING_IF_BAD), null, PARK));
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            UUID bad = queues.enqueue(queue, "bad", Map.of("bad", "yes"));
            queues.enqueue(queue, "good", Map.of());
            consumer.awaitNothing();
            assertThat(consumer.count()).isZero();

            broker.bean(Messages.class).cancel(bad, queue);

            assertThat(text(delivery(consumer, 1))).isEqualTo("good");
        }
    }

    @Test
    void goToTheDeadLetterQueueAfterAsManyTriesAsItAllowsAndComeBack() {
        QueueName queue = queues.declare(FAILING, new WhenScriptFails(Policy.PARK, 1));
        UUID id = queues.enqueue(queue, "parked", Map.of());

        patiently().until(() -> queues.view(id).queue().equals(queue.deadLetter()));
        MessageView dead = queues.view(id);
        assertThat(dead.state()).isEqualTo(MessageState.READY);
        assertThat(dead.failures()).hasSize(1);
        Redrives redrives = broker.bean(Redrives.class);
        assertThat(redrives.redrive(queue, 10, Reclassify.NONE)).isEqualTo(new Redriven(0, new Kept(1, 0, 0, 0, 0)));
        assertThat(redrives.redrive(queue, 10, Reclassify.ALL)).isEqualTo(new Redriven(0, new Kept(1, 0, 0, 0, 0)));

        queues.change(queue, FIXED);

        assertThat(redrives.redrive(queue, 10, Reclassify.UNCLASSIFIED))
                .isEqualTo(new Redriven(1, new Kept(0, 0, 0, 0, 0)));
        assertThat(queues.view(id).state()).isEqualTo(MessageState.READY);
        assertThat(queues.view(id).fairnessKey()).isEqualTo("fixed");
    }

    /** Once: the second try was the last. */
    @Test
    void areTriedSoOftenBeforeTheyGoToTheDeadLetterQueue() {
        QueueName queue = queues.declare(FAILING, new WhenScriptFails(Policy.PARK, 2));
        UUID id = queues.enqueue(queue, "parked", Map.of());

        assertThat(queues.view(id).queue()).isEqualTo(queue);
        patiently().until(() -> queues.view(id).queue().equals(queue.deadLetter()));
        assertThat(queues.view(id).failures()).hasSize(2);
    }

    @Test
    void areClassifiedAnewWhenTheyAreRedrivenUnlessAskedNotTo() {
        QueueName queue = queues.declare("function on_enqueue(msg) return { fairness_key = 'old' } end", PARK);
        UUID id = queues.enqueue(queue, "message", Map.of());
        deadLetter(queue);
        queues.change(queue, FIXED);
        Redrives redrives = broker.bean(Redrives.class);

        redrives.redrive(queue, 10, Reclassify.NONE);
        assertThat(queues.view(id).fairnessKey()).isEqualTo("old");
        deadLetter(queue);
        redrives.redrive(queue, 10, Reclassify.UNCLASSIFIED);
        assertThat(queues.view(id).fairnessKey()).isEqualTo("old");
        deadLetter(queue);
        redrives.redrive(queue, 10, Reclassify.ALL);
        assertThat(queues.view(id).fairnessKey()).isEqualTo("fixed");
    }

    private static void deadLetter(QueueName queue) {
        try (RecordingConsumer consumer = subscribe(broker, queue, 1, false)) {
            settle(consumer, new Settlement.Nack(delivery(consumer, 1).lease(), "no", null, true));
        }
    }
}
