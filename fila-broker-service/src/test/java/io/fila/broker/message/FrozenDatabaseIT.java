package io.fila.broker.message;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import com.google.protobuf.ByteString;
import io.fila.broker.OwnPostgres;
import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.MessageServiceGrpc;
import io.fila.protocol.v1.OutgoingMessage;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A PostgreSQL that takes statements and answers none. Callers used to wait for the timeout of the socket, 30 s, one after the
 * other. What is promised is about 5 s; a busy build machine is given twice that.
 */
class FrozenDatabaseIT {

    private static final Duration PROMISED = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path directory;

    private OwnPostgres postgres;
    private TestBroker broker;
    private Messages messages;
    private QueueName queue;

    @BeforeEach
    void start() {
        postgres = OwnPostgres.start(directory);
        broker = TestBroker.start(postgres.url());
        messages = broker.bean(Messages.class);
        queue = broker.createQueue("orders");
    }

    @AfterEach
    void stop() {
        postgres.thaw();
        broker.close();
        postgres.close();
    }

    @Test
    void tellsProducersInTimeAndLosesNothing() {
        RecordingConsumer consumer = RecordingConsumer.subscribe(broker, queue);
        Set<UUID> ids = new HashSet<>();
        Set<UUID> accepted = new HashSet<>();
        // statements are under way when it freezes: the pool does not look at a connection again that was in use just
        // now
        List<Sent> sent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            sent.add(send(message(1)));
            if (i == 20) {
                sent.get(i).answer.join();
                postgres.freeze();
            }
        }
        List<ProblemException> problems = new ArrayList<>();
        for (Sent one : sent) {
            ids.add(one.id);
            ProblemException problem = one.problem();
            if (problem == null) {
                accepted.add(one.id);
            } else {
                assertThat(problem.code()).isEqualTo(ProblemCode.STORAGE_UNAVAILABLE);
                problems.add(problem);
            }
            assertThat(one.took()).isLessThan(PROMISED);
        }
        assertThat(problems)
                .isNotEmpty()
                .anySatisfy(problem -> assertThat(problem).hasMessageContaining("may have been stored"));

        postgres.thaw();

        // by itself, and without an enqueue that tells: what was in doubt is stored or not, and what is stored is
        // delivered
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(received(consumer)).containsAll(accepted));
        await().atMost(PATIENCE).until(() -> send(message(1)).problem() == null);
        for (UUID id : ids) {
            await().atMost(PATIENCE).until(() -> send(message(id, 1)).problem() == null);
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(received(consumer)).containsAll(ids));
        consumer.close();
    }

    @Test
    void refusesMoreThanItCanHoldAndTakesMessagesAgainByItself() {
        Set<Thread> before = workers();
        assertThat(send(message(1)).problem()).isNull();
        postgres.freeze();

        List<Sent> sent = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            sent.add(send(message(1 << 20)));
        }

        assertThat(sent).allSatisfy(one -> {
            // too much is waiting, or it does not answer
            assertThat(one.problem().code()).isIn(ProblemCode.RATE_LIMITED, ProblemCode.STORAGE_UNAVAILABLE);
            assertThat(one.took()).isLessThan(PROMISED);
        });
        assertThat(workers()).containsExactlyInAnyOrderElementsOf(before);
        postgres.thaw();
        await().atMost(PATIENCE).until(() -> send(message(1 << 20)).problem() == null);
    }

    @Test
    void answersEveryCallOverGrpcAndRest() throws Exception {
        broker.bean(Queues.class).declare(QueueName.of("bounded"), new SettingsChange(null, null, 1_000L));
        ManagedChannel channel = Grpc.newChannelBuilder(
                        "127.0.0.1:" + broker.grpcPort(), InsecureChannelCredentials.create())
                .build();
        HttpClient http = HttpClient.newHttpClient();
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        try {
            postgres.freeze();
            for (int i = 0; i < 40; i++) {
                String name = i % 2 == 0 ? "orders" : "bounded";
                answers.add(CompletableFuture.runAsync(() -> assertUnavailable(channel, name), PatientThreads::start));
                answers.add(CompletableFuture.runAsync(
                        () -> assertUnavailable(http, "/queues/" + name + "/messages", "{\"payload\":1}"),
                        PatientThreads::start));
                answers.add(CompletableFuture.runAsync(
                        () -> assertUnavailable(
                                http,
                                "/subscriptions/" + UUID.randomUUID() + "/ack",
                                "{\"leases\":[\"%s\"]}".formatted(new Lease(1, UUID.randomUUID()))),
                        PatientThreads::start));
            }
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(2, TimeUnit.MINUTES);
        } finally {
            channel.shutdownNow();
        }
    }

    private void assertUnavailable(ManagedChannel channel, String name) {
        EnqueueRequest request = EnqueueRequest.newBuilder()
                .setQueue(name)
                .addMessages(OutgoingMessage.newBuilder().setPayload(ByteString.copyFromUtf8("x")))
                .build();
        long start = System.nanoTime();
        try {
            MessageServiceGrpc.newBlockingStub(channel).enqueue(request);
            throw new AssertionError("stored in a database that stands still");
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).as(e.toString()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(e.getTrailers().get(Metadata.Key.of("fila-code", Metadata.ASCII_STRING_MARSHALLER)))
                    .isEqualTo("storage-unavailable");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMISED);
    }

    private void assertUnavailable(HttpClient http, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + broker.httpPort() + "/api/v1" + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        long start = System.nanoTime();
        HttpResponse<String> answer =
                http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
        assertThat(answer.body()).contains("\"storage-unavailable\"");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMISED);
    }

    private static Set<UUID> received(RecordingConsumer consumer) {
        Set<UUID> received = new HashSet<>();
        consumer.handed().forEach(handed -> received.add(handed.delivery().id()));
        return received;
    }

    /** The threads that work on enqueues. */
    private static Set<Thread> workers() {
        Set<Thread> workers = new HashSet<>(Thread.getAllStackTraces().keySet());
        workers.removeIf(thread -> !thread.getName().startsWith("fila-enqueue-")
                || thread.getName().endsWith("-timer"));
        return workers;
    }

    private static NewMessage message(int size) {
        return message(UUID.randomUUID(), size);
    }

    private static NewMessage message(UUID id, int size) {
        byte[] payload = "x".repeat(size).getBytes(StandardCharsets.UTF_8);
        return new NewMessage(id, new Payload(payload, Payload.Kind.TEXT), Map.of(), null, 1, null, null);
    }

    private Sent send(NewMessage message) {
        return new Sent(message.id(), messages, queue, message);
    }

    /** An enqueue on a thread of its own, as callers have: looking up the queue may block it. */
    private static final class Sent {

        final UUID id;
        final CompletableFuture<List<Enqueued>> answer;
        private final long start = System.nanoTime();
        private volatile long end;

        Sent(UUID id, Messages messages, QueueName queue, NewMessage message) {
            this.id = id;
            this.answer = CompletableFuture.supplyAsync(
                            () -> messages.enqueue(queue, List.of(message)), PatientThreads::start)
                    .thenCompose(future -> future)
                    .whenComplete((stored, failure) -> end = System.nanoTime());
        }

        /** Null if it was stored. */
        ProblemException problem() {
            try {
                answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
                return null;
            } catch (CompletionException e) {
                Throwable cause = e;
                while (cause instanceof CompletionException) {
                    cause = cause.getCause();
                }
                assertThat(cause).isInstanceOf(ProblemException.class);
                return (ProblemException) cause;
            }
        }

        Duration took() {
            return Duration.ofNanos(end - start);
        }
    }

    private static final class PatientThreads {

        static void start(Runnable task) {
            Thread thread = new Thread(task, "caller");
            thread.setDaemon(true);
            thread.start();
        }
    }
}
