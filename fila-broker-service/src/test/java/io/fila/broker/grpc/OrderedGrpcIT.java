package io.fila.broker.grpc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.client.Delivery;
import io.fila.client.FilaClient;
import io.fila.client.FilaException;
import io.fila.client.FilaSubscription;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Ordered queues, as a client of the protocol sees them. */
class OrderedGrpcIT {

    private static TestBroker broker;
    private static FilaClient client;

    @BeforeAll
    static void start() {
        // what a signal should have told is not to be found by a sweep
        broker = TestBroker.start(
                TestDatabase.create(),
                "fila.broker.pacing.sweep-interval=10m",
                // a claim that takes longer is given back, and something else goes first
                "fila.broker.pacing.token-expiry=10s");
        client = FilaClient.builder()
                .address("dns:///127.0.0.1:" + broker.grpcPort())
                .build();
    }

    @AfterAll
    static void stop() {
        client.close();
        broker.close();
    }

    /** It asks for more in the frame that acknowledges: what has just become free is older than what was free before. */
    @RepeatedTest(3)
    void givesAWorkerTheNextOfTheGroupItHasJustFinishedWithIfThatIsTheOldest(RepetitionInfo repetition) {
        String queue = "one-worker-" + repetition.getCurrentRepetition();
        client.declareQueue(QueueSpec.builder(queue)
                .ordering(
                        new QueueSpec.Ordering(List.of("header:account"), QueueSpec.Ordering.WhenKeyMissing.UNORDERED))
                .build());
        List<OutgoingMessage> messages = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            messages.add(message("a" + i, Map.of("account", "A")));
            expected.add("a" + i);
        }
        for (int i = 0; i < 5; i++) {
            messages.add(message("s" + i, Map.of()));
            expected.add("s" + i);
        }
        client.sendAll(queue, messages);

        assertThat(receivedOneByOne(queue, messages.size())).isEqualTo(expected);
    }

    @Test
    void keepsTheOrderOfSendsThatOverlap() {
        client.declareQueue(QueueSpec.builder("overlapping")
                .ordering(QueueSpec.Ordering.by())
                .build());
        List<CompletableFuture<?>> sends = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            sends.add(client.sendAsync("overlapping", message("m" + i, Map.of())));
            expected.add("m" + i);
        }
        CompletableFuture.allOf(sends.toArray(CompletableFuture[]::new))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();

        assertThat(receivedOneByOne("overlapping", expected.size())).isEqualTo(expected);
    }

    @Test
    void refusesAMessageWithoutTheKeyByName() {
        client.declareQueue(QueueSpec.builder("strict")
                .ordering(QueueSpec.Ordering.by("header:account"))
                .build());
        assertThatThrownBy(() -> client.send("strict", message("s", Map.of())))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo("ordering-key-missing"))
                .hasMessageContainingAll("'strict'", "header:account");
    }

    @Test
    void refusesToChangeTheOrder() {
        client.declareQueue(
                QueueSpec.builder("fixed").ordering(QueueSpec.Ordering.by()).build());
        client.declareQueue(QueueSpec.of("fixed"));
        QueueSpec other = QueueSpec.builder("fixed")
                .ordering(QueueSpec.Ordering.by("header:account"))
                .build();
        assertThatThrownBy(() -> client.declareQueue(other))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo("immutable-setting"));
    }

    private static OutgoingMessage message(String text, Map<String, String> headers) {
        OutgoingMessage.Builder builder =
                OutgoingMessage.of(OutgoingMessage.text(text).payload());
        headers.forEach(builder::header);
        return builder.build();
    }

    private static List<String> receivedOneByOne(String queue, int count) {
        List<String> texts = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Void> all = new CompletableFuture<>();
        CompletableFuture<FilaSubscription> self = new CompletableFuture<>();
        FilaSubscription subscription =
                client.subscribe(new SubscriptionSpec(queue, "test", List.of()), new SubscriptionListener() {
                    @Override
                    @SuppressWarnings("FutureReturnValueIgnored") // a failure would keep the next one from coming
                    public void onDelivery(Delivery delivery) {
                        texts.add(delivery.message().payload().asText());
                        delivery.ack();
                        if (texts.size() == count) {
                            all.complete(null);
                        }
                        self.thenAccept(one -> one.request(1));
                    }
                });
        self.complete(subscription);
        subscription.request(1);
        try {
            all.orTimeout(60, TimeUnit.SECONDS).join();
        } finally {
            subscription.close();
        }
        return List.copyOf(texts);
    }
}
