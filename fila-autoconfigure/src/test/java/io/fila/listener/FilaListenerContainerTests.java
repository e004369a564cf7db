package io.fila.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.fila.client.FilaException;
import io.fila.client.Nack;
import io.fila.client.SubscriptionSpec;
import io.fila.fake.FakeClient;
import io.fila.fake.FakeDelivery;
import io.fila.fake.FakeScheduler;
import io.fila.fake.FakeSubscription;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class FilaListenerContainerTests {

    private final FakeClient client = new FakeClient();
    private final FakeScheduler scheduler = new FakeScheduler();
    private final CountDownLatch letHandlersFinish = new CountDownLatch(1);
    private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private Duration shutdownTimeout = Duration.ofSeconds(20);
    private final List<FilaListenerContainer> containers = new ArrayList<>();

    @AfterEach
    void stop() {
        letHandlersFinish.countDown();
        containers.forEach(FilaListenerContainer::stop);
    }

    @Test
    void asksForOneDeliveryPerHandler() {
        container(3, (message, ack) -> {}).start();
        assertThat(subscription().credit).hasValue(3);
    }

    @Test
    void asksForNothingWhileEveryHandlerIsBusyAndAgainWhenOneIsFree() throws Exception {
        container(2, this::waitForTheTest).start();
        FakeDelivery first = subscription().deliver("a");
        subscription().deliver("b");
        begun.take();
        begun.take();
        assertThat(subscription().credit).hasValue(0);

        letHandlersFinish.countDown();
        await().until(() -> subscription().credit.get() == 2);
        assertThat(first.settlements).containsExactly("ack");
    }

    @Test
    void acknowledgesWhenTheHandlerReturnsAndNacksWhenItThrows() {
        container(1, (message, ack) -> {
                    switch (message.payload().asText()) {
                        case "fail" -> throw new IllegalStateException("provider answered 429");
                        case "silent" -> throw new IllegalStateException();
                        case "later" -> throw new RetryAfterException(Duration.ofSeconds(7), "busy");
                        case "never" -> throw new DeadLetterException("unusable");
                        default -> {}
                    }
                })
                .start();
        assertThat(handled("fine")).isEqualTo("ack");
        assertThat(handled("fail")).isEqualTo(Nack.failed("java.lang.IllegalStateException: provider answered 429"));
        assertThat(handled("silent")).isEqualTo(Nack.failed("java.lang.IllegalStateException"));
        assertThat(handled("later"))
                .isEqualTo(Nack.retryAfter("io.fila.listener.RetryAfterException: busy", Duration.ofSeconds(7)));
        assertThat(handled("never")).isEqualTo(Nack.deadLetter("io.fila.listener.DeadLetterException: unusable"));
    }

    @Test
    void closesBucketsWhenTheHandlerIsRefusedDownstream() {
        container(1, (message, ack) -> {
                    switch (message.payload().asText()) {
                        case "all" -> throw new DownstreamLimitedException(Duration.ofSeconds(20));
                        case "one" -> throw new DownstreamLimitedException(Duration.ofSeconds(20), List.of("stripe"));
                        default -> ack.closeBuckets("429", Duration.ofSeconds(5), "stripe", "paypal");
                    }
                })
                .start();
        String error = "io.fila.listener.DownstreamLimitedException: refused downstream for PT20S";
        assertThat(handled("all")).isEqualTo(Nack.closeBuckets(error, Duration.ofSeconds(20)));
        assertThat(handled("one")).isEqualTo(Nack.closeBuckets(error, Duration.ofSeconds(20), List.of("stripe")));
        assertThat(handled("by hand"))
                .isEqualTo(Nack.closeBuckets("429", Duration.ofSeconds(5), List.of("stripe", "paypal")));
    }

    @Test
    void repeatsTheAttemptLaterWhenBucketsCannotBeClosed() {
        container(1, (message, ack) -> {
                    throw new DownstreamLimitedException(Duration.ofHours(2), List.of(), "429", null);
                })
                .start();
        FakeDelivery delivery = new FakeDelivery("orders", "a");
        delivery.answer = CompletableFuture.failedFuture(
                new FilaException("invalid-request", "closeBucketsFor: expected 1ms to 1h, got 2h", false, null));

        subscription().deliver(delivery);

        String error = "io.fila.listener.DownstreamLimitedException: 429";
        await().untilAsserted(() -> assertThat(delivery.settlements)
                .containsExactly(
                        Nack.closeBuckets(error, Duration.ofHours(2)), Nack.retryAfter(error, Duration.ofHours(2))));
    }

    @Test
    void letsAnErrorHandlerDecide() {
        FilaMessageHandler failing = (message, ack) -> {
            throw new IllegalStateException(message.payload().asText());
        };
        container(1, failing.withErrorHandler((message, failure) -> {
                    if (failure.getMessage().equals("worse")) {
                        throw new DeadLetterException("given up", failure);
                    }
                }))
                .start();
        assertThat(handled("harmless")).isEqualTo("ack");
        assertThat(handled("worse")).isEqualTo(Nack.deadLetter("io.fila.listener.DeadLetterException: given up"));
    }

    @Test
    void leavesAcknowledgingToAManualHandlerAndKeepsItsSlotUntilThen() {
        BlockingQueue<Acknowledgement> acknowledgements = new LinkedBlockingQueue<>();
        manual((message, ack) -> acknowledgements.add(ack)).start();
        FakeDelivery delivery = subscription().deliver("a");
        Acknowledgement acknowledgement = await().until(acknowledgements::poll, ack -> ack != null);
        await().until(() -> scheduler.tasks.size() == 2);
        assertThat(delivery.settlements).isEmpty();
        assertThat(subscription().credit).hasValue(0);

        acknowledgement.ack();
        assertThat(delivery.settlements).containsExactly("ack");
        assertThat(subscription().credit).hasValue(1);
        assertThatThrownBy(acknowledgement::release).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void takesBackTheSlotOfAManualHandlerThatNeverSettlesWhenTheLeaseHasRunOut() {
        manual((message, ack) -> {}).start();
        subscription().deliver("a");
        await().until(() -> scheduler.tasks.size() == 2);
        assertThat(scheduler.last().delay).isBetween(Duration.ofSeconds(25), Duration.ofSeconds(30));
        assertThat(subscription().credit).hasValue(0);

        scheduler.last().run();
        assertThat(subscription().credit).hasValue(1);
    }

    @Test
    void nacksForAManualHandlerThatThrows() {
        manual((message, ack) -> {
                    throw new IllegalStateException("no");
                })
                .start();
        assertThat(handled("a")).isEqualTo(Nack.failed("java.lang.IllegalStateException: no"));
    }

    @Test
    void doesNotSettleAgainWhatAHandlerHasSettled() {
        container(1, (message, ack) -> {
                    ack.release();
                    throw new IllegalStateException("too late");
                })
                .start();
        assertThat(handled("a")).isEqualTo("release");
    }

    /** The extension found the lease settled, and a warning said that the message would be handled again. */
    @Test
    void doesNotExtendTheLeaseOfAMessageThatItsHandlerHasSettled() throws Exception {
        container(1, (message, ack) -> {
                    ack.ack();
                    waitForTheTest(message, ack);
                })
                .start();
        FakeDelivery delivery = subscription().deliver("a");
        begun.take();

        scheduler.last().run();

        assertThat(delivery.extensions).isEmpty();
    }

    @Test
    void keepsTheLeaseOnlyWhileTheHandlerRuns() throws Exception {
        container(1, this::waitForTheTest).start();
        FakeDelivery delivery = subscription().deliver("a");
        begun.take();
        FakeScheduler.Task extension = scheduler.last();
        extension.run();
        assertThat(delivery.extensions).hasSize(1);

        letHandlersFinish.countDown();
        await().until(extension::isCancelled);
    }

    @Test
    void pausesWithoutUnsubscribingAndResumes() {
        FilaListenerContainer container = container(2, (message, ack) -> {});
        container.start();
        container.pause();
        assertThat(container.state()).isEqualTo(ListenerState.PAUSED);
        assertThat(subscription().credit).hasValue(0);
        assertThat(subscription().closed).isFalse();

        container.resume();
        assertThat(container.state()).isEqualTo(ListenerState.RUNNING);
        assertThat(subscription().credit).hasValue(2);
    }

    @Test
    void handlesWhatArrivesWhileCreditIsTakenBackAndAsksAgainOnlyAfterwards() {
        FilaListenerContainer container = container(2, (message, ack) -> {});
        container.start();
        subscription().drainsAtOnce = false;
        container.pause();
        FakeDelivery late = subscription().deliver("late");
        await().until(() -> late.settlements.contains("ack"));

        container.resume();
        assertThat(subscription().credit)
                .as("only what is left of the old credit")
                .hasValue(1);
        subscription().completeDrain();
        assertThat(subscription().credit).hasValue(2);
        subscription().drainsAtOnce = true;
    }

    @Test
    void goesThroughItsStatesInOrderOnly() {
        FilaListenerContainer container = container(1, (message, ack) -> {});
        container.pause();
        container.resume();
        assertThat(container.state()).isEqualTo(ListenerState.STOPPED);
        container.start();
        container.start();
        assertThat(client.subscriptions).hasSize(1);
        container.resume();
        assertThat(container.state()).isEqualTo(ListenerState.RUNNING);
        container.stop();
        container.stop();
        assertThat(container.state()).isEqualTo(ListenerState.STOPPED);
        container.start();
        assertThat(client.subscriptions).hasSize(2);
    }

    @Test
    void letsHandlersFinishBeforeItStops() throws Exception {
        FilaListenerContainer container = container(2, this::waitForTheTest);
        container.start();
        FakeDelivery delivery = subscription().deliver("a");
        begun.take();
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(container::stop);
        await().until(() -> container.state() == ListenerState.DRAINING);
        assertThat(subscription().credit).hasValue(0);
        assertThatThrownBy(container::start).isInstanceOf(IllegalStateException.class);

        letHandlersFinish.countDown();
        stopped.get(10, TimeUnit.SECONDS);
        assertThat(delivery.settlements).containsExactly("ack");
        assertThat(subscription().closed).isTrue();
    }

    @Test
    void givesBackWhatArrivesWhileItDrains() throws Exception {
        FilaListenerContainer container = container(2, this::waitForTheTest);
        container.start();
        subscription().deliver("a");
        begun.take();
        subscription().drainsAtOnce = false;
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(container::stop);
        await().until(() -> !subscription().drains.isEmpty());
        FakeDelivery late = subscription().deliver("late");
        assertThat(late.settlements).containsExactly("release");

        letHandlersFinish.countDown();
        subscription().completeDrain();
        stopped.get(10, TimeUnit.SECONDS);
    }

    @Test
    void interruptsHandlersThatOutstayTheShutdownTimeout() throws Exception {
        shutdownTimeout = Duration.ofMillis(50);
        FilaListenerContainer container = container(1, this::waitForTheTest);
        container.start();
        FakeDelivery delivery = subscription().deliver("a");
        begun.take();
        container.stop();
        assertThat(container.state()).isEqualTo(ListenerState.STOPPED);
        assertThat(subscription().closed).isTrue();
        assertThat(delivery.settlements).containsExactly(Nack.failed("java.lang.InterruptedException"));
    }

    @Test
    void stopsInTimeAlthoughTheBrokerNeverConfirmsTheDrain() {
        shutdownTimeout = Duration.ofMillis(50);
        FilaListenerContainer container = container(1, (message, ack) -> {});
        container.start();
        subscription().drainsAtOnce = false;
        container.stop();
        assertThat(container.state()).isEqualTo(ListenerState.STOPPED);
    }

    @Test
    void subscribesAgainWithBackoffWhenTheRefusalMayPass() {
        FilaListenerContainer container = container(2, (message, ack) -> {});
        container.start();
        for (String code : List.of("queue-not-found", "throttle-conflict", "queue-not-found")) {
            int before = client.subscriptions.size();
            subscription().refuse(code);
            assertThat(container.state()).isEqualTo(ListenerState.RUNNING);
            assertThat(container.lastError()).extracting(FilaException::code).isEqualTo(code);
            scheduler.last().run();
            assertThat(client.subscriptions).hasSize(before + 1);
            assertThat(subscription().credit).hasValue(2);
        }
        assertThat(scheduler.tasks).extracting(task -> task.delay.toSeconds()).containsExactly(1L, 2L, 4L);

        subscription().listener.onAccepted();
        assertThat(container.lastError()).isNull();
    }

    @Test
    void stopsWhenTheRefusalIsFinal() {
        FilaListenerContainer container = container(1, (message, ack) -> {});
        container.start();
        subscription().refuse("forbidden");
        await().until(() -> container.state() == ListenerState.STOPPED);
        assertThat(container.lastError()).extracting(FilaException::code).isEqualTo("forbidden");
        assertThat(scheduler.tasks).isEmpty();
    }

    @Test
    void doesNotSubscribeAgainOnceStopped() {
        FilaListenerContainer container = container(1, (message, ack) -> {});
        container.start();
        subscription().refuse("queue-not-found");
        container.stop();
        scheduler.last().run();
        assertThat(client.subscriptions).hasSize(1);
    }

    @Test
    void remembersWhyItIsInterruptedUntilItIsAcceptedAgain() {
        FilaListenerContainer container = container(1, (message, ack) -> {});
        container.start();
        subscription().listener.onInterrupted(new FilaException("broker-unreachable", "gone", true, null));
        assertThat(container.lastError()).isNotNull();
        subscription().listener.onAccepted();
        assertThat(container.lastError()).isNull();
    }

    @Test
    void neverHoldsMoreThanItHasHandlersHoweverItIsPausedAndResumed() {
        long seed = Long.getLong("fila.test.seed", System.nanoTime());
        Random random = new Random(seed);
        int handlers = 3;
        FilaListenerContainer container = container(handlers, (message, ack) -> Thread.yield());
        container.start();
        List<FakeDelivery> deliveries = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            switch (random.nextInt(8)) {
                case 0 -> container.pause();
                case 1 -> container.resume();
                default -> {
                    if (subscription().credit.get() > 0) {
                        deliveries.add(subscription().deliver("m" + i));
                    }
                }
            }
            long held = deliveries.stream().filter(d -> d.settlements.isEmpty()).count();
            assertThat(held).as("held; -Dfila.test.seed=%d", seed).isLessThanOrEqualTo(handlers);
            assertThat(subscription().credit.get())
                    .as("credit; -Dfila.test.seed=%d", seed)
                    .isBetween(0, handlers);
        }
        container.resume();
        await().until(() -> subscription().credit.get() == handlers);
        assertThat(deliveries).allSatisfy(d -> assertThat(d.settlements).containsExactly("ack"));
    }

    private void waitForTheTest(io.fila.client.FilaMessage message, Acknowledgement ack) throws InterruptedException {
        begun.add(message.payload().asText());
        letHandlersFinish.await();
    }

    /** Delivers one message and returns how it is settled. */
    private Object handled(String text) {
        await().until(() -> subscription().credit.get() > 0);
        FakeDelivery delivery = subscription().deliver(text);
        await().until(() ->
                !delivery.settlements.isEmpty() && subscription().credit.get() > 0);
        assertThat(delivery.settlements).hasSize(1);
        return delivery.settlements.get(0);
    }

    private FakeSubscription subscription() {
        return client.subscription();
    }

    private FilaListenerContainer container(int concurrency, FilaMessageHandler handler) {
        return container(concurrency, handler, AckMode.AUTO);
    }

    private FilaListenerContainer manual(FilaMessageHandler handler) {
        return container(1, handler, AckMode.MANUAL);
    }

    private FilaListenerContainer container(int concurrency, FilaMessageHandler handler, AckMode mode) {
        ListenerResources resources = new ListenerResources(
                client, new ListenerSettings(1, shutdownTimeout, true), scheduler, CustomizableThreadFactory::new);
        SubscriptionSpec spec = new SubscriptionSpec("orders", "test", List.of());
        FilaListenerContainer container = new FilaListenerContainer(
                new FilaListenerEndpoint("test", spec, handler, mode, concurrency, null), resources);
        containers.add(container);
        return container;
    }
}
