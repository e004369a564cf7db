package io.fila.broker.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.ScriptsChange;
import io.fila.broker.queue.WhenScriptFails;
import io.fila.broker.script.ConfigValues;
import io.fila.broker.throttle.MissingKey;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static io.fila.broker.message.ScriptedQueues.delivery;
import static io.fila.broker.message.ScriptedQueues.message;
import static io.fila.broker.message.ScriptedQueues.patiently;
import static io.fila.broker.message.ScriptedQueues.text;
import static java.util.Optional.of;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a queue's script makes of the messages that are enqueued. */
class OnEnqueueIT {

    private static final String BY_JOB = """
            function on_enqueue(msg)
              local attrs = {}
              if msg.headers["job_type"] == "charge" then
                attrs.stripe_account = msg.headers["account"]
              end
              return { attributes = attrs }
            end
            """;

    private static final String ENDLESS = "function on_enqueue(msg) while true do end end";

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
    void givesFairnessKeyWeightAndAttributesAndOverrulesTheProducer() {
        QueueName queue = queues.declare("""
                function on_enqueue(msg)
                  return {
                    fairness_key = msg.headers.tenant,
                    weight = 3,
                    attributes = { size = msg.payload_size, queue = msg.queue, large = msg.payload_size > 3 },
                  }
                end
                """, WhenScriptFails.REJECT);
        NewMessage given = message("hello", Map.of("tenant", "acme"));

        UUID id = queues.enqueue(
                queue, new NewMessage(null, given.payload(), given.headers(), "of the producer", 7, null, null));

        MessageView view = queues.view(id);
        assertThat(view.fairnessKey()).isEqualTo("acme");
        assertThat(view.weight()).isEqualTo(3);
        assertThat(view.attributes()).isEqualTo(Map.of("size", "5", "queue", queue.value(), "large", "true"));
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            assertThat(delivery(consumer, 1).attributes()).isEqualTo(view.attributes());
        }
    }

    @Test
    void leavesWhatItDoesNotMentionAsTheProducerGaveIt() {
        QueueName queue = queues.declare("function on_enqueue(msg) end", WhenScriptFails.REJECT);
        NewMessage given = message("hello", Map.of());

        UUID id = queues.enqueue(queue, new NewMessage(null, given.payload(), given.headers(), "mine", 7, null, null));

        assertThat(queues.view(id).fairnessKey()).isEqualTo("mine");
        assertThat(queues.view(id).weight()).isEqualTo(7);
        assertThat(queues.view(id).attributes()).isEmpty();
    }

    /** The example of the reference: e-mail jobs never touch the throttle of charges. */
    @Test
    void letsAThrottleApplyToSomeOfTheMessages() {
        QueueName queue = queues.declare(BY_JOB, WhenScriptFails.REJECT);
        try (RecordingConsumer consumer = subscribe(
                broker,
                queue,
                throttle("stripe-per-account", List.of("attribute:stripe_account"), MissingKey.UNTHROTTLED, "1/1h"))) {
            for (String text : List.of("charge 1", "charge 2", "charge 3")) {
                queues.enqueue(queue, text, Map.of("job_type", "charge", "account", "acme"));
            }
            queues.enqueue(queue, "charge of another", Map.of("job_type", "charge", "account", "other"));
            queues.enqueue(queue, "mail 1", Map.of("job_type", "mail", "account", "acme"));
            queues.enqueue(queue, "mail 2", Map.of("job_type", "mail", "account", "acme"));

            patiently().until(() -> consumer.count() >= 4);
            consumer.awaitNothing();

            assertThat(consumer.handed())
                    .extracting(handed -> text(handed.delivery()))
                    .containsExactlyInAnyOrder("charge 1", "charge of another", "mail 1", "mail 2");
        }
    }

    @Test
    void ordersByWhatItSays() {
        QueueName queue = queues.declare(
                Ordering.parse("ordering", List.of("attribute:account"), WhenKeyMissing.REJECT),
                new ScriptsChange(
                        of("function on_enqueue(msg) return { attributes = { account = msg.headers.account } } end"),
                        null,
                        null));
        queues.enqueue(queue, "a1", Map.of("account", "A"));
        queues.enqueue(queue, "a2", Map.of("account", "A"));
        queues.enqueue(queue, "b1", Map.of("account", "B"));

        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            patiently().until(() -> consumer.count() == 2);
            consumer.awaitNothing();

            assertThat(consumer.handed())
                    .extracting(handed -> text(handed.delivery()))
                    .containsExactlyInAnyOrder("a1", "b1");
        }
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> queues.enqueue(queue, "nobody's", Map.of()))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.ORDERING_KEY_MISSING));
    }

    @Test
    void refusesAllOfAnEnqueueIfItFailsForOneAndSaysForWhich() {
        QueueName queue = queues.declare("""
                function on_enqueue(msg)
                  if msg.headers.bad then
                    error("no such account")
                  end
                end
                """, WhenScriptFails.REJECT);

        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> queues.enqueue(queue, message("a", Map.of()), message("b", Map.of("bad", "yes"))))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.SCRIPT_FAILED))
                .withMessageContainingAll("messages[1]", "on_enqueue", queue.value(), "3", "no such account");
        assertThat(queues.list(queue)).isEmpty();
    }

    @Test
    void isOfNoEffectOnOtherQueuesWhenItNeverEnds() {
        QueueName endless = queues.declare(ENDLESS, WhenScriptFails.REJECT);
        QueueName other = queues.declare("function on_enqueue(msg) end", WhenScriptFails.REJECT);

        for (int i = 0; i < 20; i++) {
            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(() -> queues.enqueue(endless, "never", Map.of()))
                    .satisfies(problem -> {
                        assertThat(problem.code()).isEqualTo(ProblemCode.SCRIPT_TIMED_OUT);
                        assertThat(problem.retryAfter()).isNotNull();
                    });
        }
        queues.enqueue(other, "at once", Map.of());

        assertThat(queues.list(endless)).isEmpty();
        assertThat(queues.list(other)).hasSize(1);
    }

    @Test
    void cannotBeDeclaredIfItIsNoScript() {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> queues.declare("function on_enqueue(msg)\n  return {\nend", WhenScriptFails.REJECT))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.INVALID_SCRIPT))
                .withMessageContainingAll("onEnqueue", "line 3");
        assertThatThrownBy(() -> queues.declare("function on_enqueued(msg) end", WhenScriptFails.REJECT))
                .hasMessageContainingAll("onEnqueue", "on_enqueue");
        QueueName queue = queues.declare("function on_enqueue(msg) end", WhenScriptFails.REJECT);
        assertThatThrownBy(() -> broker.bean(Queues.class)
                        .change(
                                queue.deadLetter(),
                                SettingsChange.ofScript("function on_enqueue(msg) end", WhenScriptFails.REJECT)))
                .hasMessageContaining("dead letter queue");
    }

    @Test
    void isRunForNewMessagesOnlyWhenItChanges() {
        QueueName queue =
                queues.declare("function on_enqueue(msg) return { fairness_key = 'old' } end", WhenScriptFails.REJECT);
        UUID before = queues.enqueue(queue, "before", Map.of());

        queues.change(queue, "function on_enqueue(msg) return { fairness_key = 'new' } end");
        UUID after = queues.enqueue(queue, "after", Map.of());

        assertThat(queues.view(before).fairnessKey()).isEqualTo("old");
        assertThat(queues.view(after).fairnessKey()).isEqualTo("new");
    }

    @Test
    void seesChangesOfTheConfigurationAtOnce() {
        ConfigValues config = broker.bean(ConfigValues.class);
        QueueName queue = queues.declare(
                "function on_enqueue(msg) return { fairness_key = fila.get('tier.' .. msg.headers.tenant) or 'none' } end",
                WhenScriptFails.REJECT);

        UUID none = queues.enqueue(queue, "1", Map.of("tenant", "acme"));
        config.put("tier.acme", "gold");
        UUID gold = queues.enqueue(queue, "2", Map.of("tenant", "acme"));
        config.put("tier.acme", "silver");
        UUID silver = queues.enqueue(queue, "3", Map.of("tenant", "acme"));
        config.delete("tier.acme");
        UUID gone = queues.enqueue(queue, "4", Map.of("tenant", "acme"));

        assertThat(List.of(none, gold, silver, gone))
                .extracting(id -> queues.view(id).fairnessKey())
                .containsExactly("none", "gold", "silver", "none");
    }

    @Test
    void keepsTheOrderOfAProducersStream() {
        QueueName queue = queues.declare("function on_enqueue(msg) end", WhenScriptFails.REJECT);
        try (EnqueueSequence sequence = broker.bean(Messages.class).sequence()) {
            List<CompletableFuture<List<Enqueued>>> answers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                answers.add(sequence.enqueue(queue, List.of(message("message " + i, Map.of()))));
            }
            answers.forEach(answer -> answer.orTimeout(30, TimeUnit.SECONDS).join());
        }

        List<MessageView> first = queues.list(queue);
        for (int i = 0; i < first.size(); i++) {
            assertThat(new String(first.get(i).payload().bytes(), StandardCharsets.UTF_8))
                    .isEqualTo("message " + i);
        }
    }
}
