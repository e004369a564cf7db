package io.fila.broker.grpc;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.client.Delivery;
import io.fila.client.FilaAdmin;
import io.fila.client.FilaClient;
import io.fila.client.FilaException;
import io.fila.client.FilaSubscription;
import io.fila.client.Nack;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.Reclassify;
import io.fila.client.RedriveResult;
import io.fila.client.StoredMessage;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Dead letters that are brought back from Java. */
class RedriveGrpcIT {

    private static TestBroker broker;
    private static FilaClient client;
    private static FilaAdmin admin;

    private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();

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

    /** It was the first of its group, and is behind the others now. */
    @Test
    void bringsADeadLetterBackToTheEndOfItsGroup() throws InterruptedException {
        client.declareQueue(QueueSpec.builder("accounts")
                .ordering(QueueSpec.Ordering.by("header:account"))
                .build());
        String first = send("accounts", "a1");
        send("accounts", "a2");
        try (FilaSubscription subscription = subscribe("accounts")) {
            subscription.request(1);
            next("a1").nack(Nack.deadLetter("never")).join();
            StoredMessage dead = admin.message(first);
            assertThat(dead.queue()).isEqualTo("accounts.dlq");
            assertThat(dead.deadLetteredAt()).isAfterOrEqualTo(dead.enqueuedAt());

            assertThat(admin.redrive("accounts", 10, Reclassify.ALL))
                    .isEqualTo(new RedriveResult(1, new RedriveResult.Kept(0, 0, 0, 0, 0)));

            assertThat(admin.message(first).deadLetteredAt()).isNull();
            assertThat(admin.message(first).failures()).hasSize(1);
            subscription.request(2);
            next("a2").ack().join();
            Delivery again = next("a1");
            assertThat(again.message().id()).isEqualTo(first);
            assertThat(again.message().redrives()).isEqualTo(1);
            assertThat(again.message().attempt()).isEqualTo(1);
            again.ack().join();
        }
    }

    @Test
    void accountsForWhatItLeaves() throws InterruptedException {
        client.declareQueue(QueueSpec.of("mails"));
        for (int i = 0; i < 3; i++) {
            send("mails", "m" + i);
        }
        try (FilaSubscription subscription = subscribe("mails")) {
            subscription.request(3);
            for (int i = 0; i < 3; i++) {
                next("m" + i).nack(Nack.deadLetter("never")).join();
            }
        }
        assertThat(admin.redrive("mails.dlq", 2, Reclassify.NONE))
                .isEqualTo(new RedriveResult(2, new RedriveResult.Kept(0, 0, 0, 0, 1)));
    }

    @Test
    void refusesCountsOutOfRange() {
        client.declareQueue(QueueSpec.of("bounds"));
        assertThatThrownBy(() -> admin.redrive("bounds", 100_001, Reclassify.ALL))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo("invalid-request"))
                .hasMessageContaining("count: expected 1 to 100000, got 100001");
        assertThatThrownBy(() -> admin.redrive("nowhere", 1, Reclassify.ALL))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo("queue-not-found"));
    }

    private static String send(String queue, String text) {
        OutgoingMessage message = OutgoingMessage.of(OutgoingMessage.text(text).payload())
                .header("account", "A")
                .build();
        return client.send(queue, message).id();
    }

    private FilaSubscription subscribe(String queue) {
        return client.subscribe(new SubscriptionSpec(queue, "test", List.of()), new SubscriptionListener() {
            @Override
            public void onDelivery(Delivery delivery) {
                deliveries.add(delivery);
            }
        });
    }

    private Delivery next(String text) throws InterruptedException {
        Delivery delivery = deliveries.poll(60, TimeUnit.SECONDS);
        assertThat(delivery).as("a delivery").isNotNull();
        assertThat(delivery.message().payload().asText()).isEqualTo(text);
        return delivery;
    }
}
