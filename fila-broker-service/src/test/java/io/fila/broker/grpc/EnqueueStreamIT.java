package io.fila.broker.grpc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import com.google.protobuf.ByteString;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.message.Messages;
import io.fila.broker.queue.QueueDirectory;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueResult;
import io.fila.protocol.v1.EnqueueStreamResponse;
import io.fila.protocol.v1.MessageServiceGrpc;
import io.fila.protocol.v1.OutgoingMessage;
import io.fila.protocol.v1.Problem;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.fila.broker.grpc.RawClient.assertRefused;
import static io.fila.broker.grpc.RawProducer.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Enqueues in a row, by stream, on a real database. */
class EnqueueStreamIT {

    private static TestBroker broker;

    private final String queue = "q-" + UUID.randomUUID();
    private RawClient client;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create());
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void connect() {
        client = new RawClient(broker.grpcPort());
        broker.createQueue(queue);
    }

    @AfterEach
    void isUnimpressed() {
        try {
            RawProducer good = RawProducer.open(client.channel()).send(queue, "good");
            good.finish();
            assertThat(good.end()).isNull();
            assertThat(good.frames()).singleElement().matches(EnqueueStreamResponse::hasStored);
            assertThat(client.complaints()).isEmpty();
        } finally {
            client.close();
        }
    }

    /** Two batches are worked on at a time, so that the second of two calls could be stored first. */
    @Test
    void storesAThousandFramesInTheirOrderAndAnswersThemInIt() {
        RawProducer producer = RawProducer.open(client.channel());
        // some of several messages, and some large: they do not all fit into one batch
        IntStream.range(0, 1_000)
                .forEach(i -> producer.send(
                        queue, i + (i % 100 == 0 ? " ".repeat(900_000) : ""), i % 3 == 0 ? i + "+" : i + "-"));
        producer.finish();

        assertThat(producer.end()).isNull();
        List<String> answered = producer.frames().stream()
                .flatMap(frame -> frame.getStored().getResultsList().stream())
                .map(EnqueueResult::getId)
                .toList();
        assertThat(producer.frames()).hasSize(1_000);
        assertThat(answered).hasSize(2_000);
        List<Stored> stored = stored(queue);
        assertThat(stored).extracting(Stored::id).isEqualTo(answered);
        assertThat(stored)
                .extracting(Stored::payload)
                .isEqualTo(IntStream.range(0, 1_000)
                        .boxed()
                        .flatMap(i -> List.of("" + i, i % 3 == 0 ? i + "+" : i + "-").stream())
                        .toList());
    }

    @Test
    void keepsQueuesApart() {
        String other = "other-" + queue;
        broker.createQueue(other);
        RawProducer producer = RawProducer.open(client.channel());
        IntStream.range(0, 100).forEach(i -> producer.send(i % 2 == 0 ? queue : other, "" + i));
        producer.finish();

        assertThat(producer.end()).isNull();
        assertThat(producer.frames()).allMatch(EnqueueStreamResponse::hasStored);
        assertThat(stored(queue)).extracting(Stored::payload).isEqualTo(numbers(0, 100, 2));
        assertThat(stored(other)).extracting(Stored::payload).isEqualTo(numbers(1, 100, 2));
    }

    @Test
    void answersAFrameThatIsWrongAndGoesOn() {
        OutgoingMessage heavy = message("x").toBuilder().setWeight(1_001).build();
        RawProducer producer = RawProducer.open(client.channel())
                .send("nowhere", "a")
                .send("a b", "a")
                .send(queue)
                .send(EnqueueRequest.newBuilder()
                        .setQueue(queue)
                        .addMessages(message("not stored"))
                        .addMessages(heavy)
                        .build())
                .send(EnqueueRequest.newBuilder()
                        .setQueue(queue)
                        .addMessages(OutgoingMessage.newBuilder().setId("abc"))
                        .build())
                .send(queue, "stored");
        producer.finish();

        assertThat(producer.end()).isNull();
        assertThat(producer.frames()).hasSize(6);
        assertProblem(producer, 0, "queue-not-found", "'nowhere'");
        assertProblem(producer, 1, "invalid-request", "queue: expected 1 to 200 letters");
        assertProblem(producer, 2, "invalid-request", "messages: expected 1 to 10000 messages in one request, got 0");
        assertProblem(producer, 3, "invalid-request", "messages[1].weight: expected 1 to 1000, got 1001");
        assertProblem(producer, 4, "invalid-request", "id: expected a UUID, got 'abc'");
        assertThat(producer.frames().get(5).hasStored()).isTrue();
        assertThat(stored(queue)).extracting(Stored::payload).containsExactly("stored");
    }

    @Test
    void saysWhenToTryAgain() {
        broker.bean(Queues.class).change(QueueName.of(queue), new SettingsChange(null, null, 1L));
        RawProducer producer = RawProducer.open(client.channel()).send(queue, "a", "b");
        producer.finish();

        assertThat(producer.end()).isNull();
        assertProblem(producer, 0, "queue-full", "maxBacklog of 1");
        assertThat(producer.frames().get(0).getProblem().getRetryAfter().getSeconds())
                .isEqualTo(1);
        broker.bean(Queues.class).change(QueueName.of(queue), new SettingsChange(null, null, 1_000L));
        broker.bean(QueueDirectory.class).forget(QueueName.of(queue));
    }

    @Test
    void tellsDuplicates() {
        OutgoingMessage given =
                message("x").toBuilder().setId(UUID.randomUUID().toString()).build();
        EnqueueRequest frame =
                EnqueueRequest.newBuilder().setQueue(queue).addMessages(given).build();
        RawProducer producer =
                RawProducer.open(client.channel()).send(frame).send(frame).send(frame);
        producer.finish();

        assertThat(producer.end()).isNull();
        assertThat(producer.frames())
                .extracting(answer -> answer.getStored().getResults(0).getDuplicate())
                .containsExactly(false, true, true);
    }

    @Test
    void refusesFramesThatAreTooLargeAndGoesOn() {
        OutgoingMessage oneByteMore = OutgoingMessage.newBuilder()
                .setPayload(ByteString.copyFrom(new byte[(1 << 20) + 1]))
                .build();
        OutgoingMessage mebibyte = OutgoingMessage.newBuilder()
                .setPayload(ByteString.copyFrom(new byte[1 << 20]))
                .build();
        RawProducer producer = RawProducer.open(client.channel())
                .send(EnqueueRequest.newBuilder()
                        .setQueue(queue)
                        .addMessages(oneByteMore)
                        .build())
                .send(EnqueueRequest.newBuilder()
                        .setQueue(queue)
                        .addAllMessages(Collections.nCopies(33, mebibyte))
                        .build())
                .send(queue, "stored");
        producer.finish();

        assertThat(producer.end()).isNull();
        assertProblem(producer, 0, "payload-too-large", "1048576 bytes, got 1048577");
        assertProblem(producer, 1, "payload-too-large", "33554432 bytes");
        assertThat(producer.frames().get(2).hasStored()).isTrue();
    }

    @Test
    void endsTheStreamForBytesThatAreNoFrame() {
        assertRefused(
                catchThrowable(() -> client.callRaw(
                        MessageServiceGrpc.getEnqueueStreamMethod().getFullMethodName(), new byte[] {(byte) 0xff})),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "request: expected a message");
    }

    @Test
    void takesNoMoreFromAProducerThatDoesNotReadUntilItDoes() throws InterruptedException {
        // one message, a thousand times: little is stored, and much is to be answered
        OutgoingMessage same =
                message("x").toBuilder().setId(UUID.randomUUID().toString()).build();
        EnqueueRequest frame = EnqueueRequest.newBuilder()
                .setQueue(queue)
                .addAllMessages(Collections.nCopies(1_000, same))
                .build();
        RawProducer producer = RawProducer.open(client.channel(), false);

        int sent = producer.sendWhileTaken(frame, 2_000);

        assertThat(sent).isLessThan(2_000);
        producer.read();
        producer.finish();
        assertThat(producer.end()).isNull();
        assertThat(producer.frames())
                .hasSize(sent)
                .allMatch(answer -> answer.getStored().getResultsCount() == 1_000);
    }

    @Test
    void storesNoneBehindOneThatIsNotStoredWhenTheProducerCancels() {
        RawProducer producer = RawProducer.open(client.channel());
        IntStream.range(0, 500).forEach(i -> producer.send(queue, "" + i));
        await().until(() -> !producer.frames().isEmpty());
        producer.cancel();

        assertThat(producer.end())
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        ended -> assertThat(ended.getStatus().getCode()).isEqualTo(Status.Code.CANCELLED));
        RawProducer after = RawProducer.open(client.channel()).send(queue, "after");
        after.finish();
        assertThat(after.end()).isNull();
        List<String> payloads = stored(queue).stream()
                .map(Stored::payload)
                .filter(p -> !p.equals("after"))
                .toList();
        assertThat(payloads).isEqualTo(numbers(0, payloads.size(), 1));
    }

    /** They would keep the server from ending for as long as it waits for its calls. */
    @Test
    void answersWhatHasComeAndEndsStreamsWhenTheBrokerShutsDown() {
        TestBroker ending = TestBroker.start(TestDatabase.create());
        ending.createQueue("orders");
        RawClient its = new RawClient(ending.grpcPort());
        RawProducer idle = RawProducer.open(its.channel()).send("orders", "a");
        RawProducer busy = RawProducer.open(its.channel());
        await().until(() -> idle.frames().size() == 1);
        IntStream.range(0, 200).forEach(i -> busy.send("orders", "" + i));
        await().until(() -> !busy.frames().isEmpty());

        CompletableFuture<Void> shutdown = CompletableFuture.runAsync(ending::close);

        for (RawProducer producer : List.of(idle, busy)) {
            assertRefused(producer.end(), Status.Code.UNAVAILABLE, "storage-unavailable", "shutting down");
            assertThat(producer.frames()).allMatch(EnqueueStreamResponse::hasStored);
        }
        assertThat(shutdown).succeedsWithin(Duration.ofSeconds(30));
        its.close();
    }

    private record Stored(String id, String payload) {}

    /** What is in the queue, in order; payloads without the spaces that made them large. */
    private static List<Stored> stored(String queue) {
        List<Stored> stored = new ArrayList<>();
        String after = null;
        do {
            Messages.Page page = broker.bean(Messages.class).list(QueueName.of(queue), null, 1_000, after);
            page.messages()
                    .forEach(message -> stored.add(new Stored(
                            message.id().toString(),
                            new String(message.payload().bytes()).trim())));
            after = page.next();
        } while (after != null);
        return stored;
    }

    private static List<String> numbers(int from, int to, int step) {
        return IntStream.iterate(from, i -> i < to, i -> i + step)
                .mapToObj(Integer::toString)
                .toList();
    }

    private static void assertProblem(RawProducer producer, int frame, String code, String said) {
        Problem problem = producer.frames().get(frame).getProblem();
        assertThat(problem.getCode()).isEqualTo(code);
        assertThat(problem.getDescription()).contains(said);
    }
}
