package io.fila.broker.grpc;

import java.util.List;
import java.util.UUID;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.client.ConfigEntry;
import io.fila.client.FilaAdmin;
import io.fila.client.FilaClient;
import io.fila.client.FilaException;
import io.fila.client.MessageQuery;
import io.fila.client.MessageState;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueChange;
import io.fila.client.QueueSpec;
import io.fila.client.QueueSpec.Scripts;
import io.fila.client.QueueSpec.WhenScriptFails;
import io.fila.client.QueueStats.PausedScript;
import io.fila.client.StoredMessage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Scripts and their configuration, by the Java client. */
class ScriptGrpcIT {

    private static final String BY_TENANT =
            "function on_enqueue(msg) return { fairness_key = msg.headers.tenant, attributes = { seen = 'yes' } } end";

    private static final WhenScriptFails PARK = new WhenScriptFails(WhenScriptFails.Policy.PARK, 5);

    private static TestBroker broker;
    private static FilaClient client;
    private static FilaAdmin admin;

    private final String queue = "scripted-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create());
        client = FilaClient.builder()
                .address("dns:///127.0.0.1:" + broker.grpcPort())
                .build();
        admin = client.admin();
    }

    @AfterAll
    static void stop() {
        client.close();
        broker.close();
    }

    @Test
    void declaresAndChangesAndTakesAway() {
        Scripts scripts = new Scripts(BY_TENANT, "function on_failure(msg) end", PARK);
        admin.declare(QueueSpec.builder(queue).scripts(scripts).build());
        assertThat(admin.queue(queue).settings().scripts()).isEqualTo(scripts);

        admin.change(queue, QueueChange.builder().withoutOnFailure().build());
        assertThat(admin.queue(queue).settings().scripts()).isEqualTo(new Scripts(BY_TENANT, null, PARK));

        admin.change(
                queue,
                QueueChange.builder().whenScriptFails(WhenScriptFails.reject()).build());
        assertThat(admin.queue(queue).settings().scripts())
                .isEqualTo(new Scripts(BY_TENANT, null, WhenScriptFails.reject()));

        admin.change(queue, QueueChange.builder().withoutOnEnqueue().build());
        assertThat(admin.queue(queue).settings().scripts()).isNull();
    }

    @Test
    void classifiesWhatIsSent() {
        admin.declare(QueueSpec.builder(queue)
                .scripts(new Scripts(BY_TENANT, null, null))
                .build());
        client.sendAll(
                queue,
                List.of(OutgoingMessage.of(OutgoingMessage.text("hello").payload())
                        .header("tenant", "acme")
                        .build()));

        StoredMessage stored =
                admin.messages(queue, MessageQuery.all()).messages().get(0);
        assertThat(stored.fairnessKey()).isEqualTo("acme");
        assertThat(stored.attributes()).containsEntry("seen", "yes");
    }

    @Test
    void tellsOfParkedMessages() {
        admin.declare(QueueSpec.builder(queue)
                .scripts(new Scripts("function on_enqueue(msg) error('broken') end", null, WhenScriptFails.park()))
                .build());
        client.sendAll(queue, List.of(OutgoingMessage.text("hello")));

        StoredMessage stored = admin.messages(queue, MessageQuery.all().state(MessageState.UNCLASSIFIED))
                .messages()
                .get(0);
        assertThat(stored.failures().get(0).reason()).isEqualTo("script_failed");
        assertThat(stored.failures().get(0).error()).isEqualTo("line 1: broken");
        assertThat(stored.failures().get(0).attempt()).isZero();
    }

    @Test
    void saysWhatIsWrong() {
        assertFails(
                "invalid-script",
                false,
                () -> admin.declare(QueueSpec.builder(queue)
                        .scripts(new Scripts("function (", null, null))
                        .build()));
        admin.declare(QueueSpec.builder(queue)
                .scripts(new Scripts("function on_enqueue(msg) error('no') end", null, null))
                .build());
        assertFails("script-failed", false, () -> client.sendAll(queue, List.of(OutgoingMessage.text("hello"))));
        admin.change(
                queue,
                QueueChange.builder()
                        .onEnqueue("function on_enqueue(msg) while true do end end")
                        .build());
        for (int i = 0; i < 6; i++) {
            assertFails("script-timed-out", true, () -> client.sendAll(queue, List.of(OutgoingMessage.text("hello"))));
        }
        assertThat(admin.queueStats(queue).pausedScripts())
                .extracting(PausedScript::function)
                .containsExactly("on_enqueue");
    }

    @Test
    void keepsConfiguration() {
        ConfigEntry put = admin.putConfig("tier.acme", "gold");
        assertThat(put.value()).isEqualTo("gold");
        assertThat(admin.config("tier.acme")).isEqualTo(put);
        assertThat(admin.configs("tier.")).containsExactly(put);
        assertThat(admin.configs("other.")).isEmpty();
        admin.deleteConfig("tier.acme");
        assertFails("config-not-found", false, () -> admin.config("tier.acme"));
        assertFails("config-not-found", false, () -> admin.deleteConfig("tier.acme"));
        assertFails("invalid-request", false, () -> admin.putConfig("no key", "x"));
        assertFails("invalid-request", false, () -> admin.putConfig("nul", "a\0b"));
    }

    private static void assertFails(String code, boolean isRetryable, Runnable call) {
        assertThatExceptionOfType(FilaException.class).isThrownBy(call::run).satisfies(problem -> {
            assertThat(problem.code()).isEqualTo(code);
            assertThat(problem.isRetryable()).isEqualTo(isRetryable);
        });
    }
}
