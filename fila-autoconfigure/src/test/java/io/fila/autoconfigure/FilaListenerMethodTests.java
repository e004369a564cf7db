package io.fila.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

import io.fila.client.FilaClient;
import io.fila.client.FilaMessage;
import io.fila.client.Nack;
import io.fila.client.SubscriptionSpec;
import io.fila.client.ThrottleSpec;
import io.fila.declaration.InvalidDeclarationException;
import io.fila.declaration.Throttle;
import io.fila.fake.FakeClient;
import io.fila.fake.FakeDelivery;
import io.fila.listener.AckMode;
import io.fila.listener.Acknowledgement;
import io.fila.listener.DownstreamLimitedException;
import io.fila.listener.FilaHeaders;
import io.fila.listener.FilaListener;
import io.fila.listener.FilaListenerContainer;
import io.fila.listener.FilaListenerEndpointRegistry;
import io.fila.listener.FilaListenerErrorHandler;
import io.fila.listener.ListenerState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What can be written on and in a listener method. */
class FilaListenerMethodTests {

    private static final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

    private final FakeClient client = new FakeClient();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    FilaClientAutoConfiguration.class,
                    FilaTemplateAutoConfiguration.class,
                    FilaDeclarationAutoConfiguration.class,
                    FilaListenerAutoConfiguration.class))
            .withBean(FilaClient.class, () -> client);

    record Charge(String customer, int cents) {}

    static class RefusedDownstream {

        @FilaListener(queue = "orders")
        @Throttle(name = "stripe", limits = "20/1s")
        void charge(String text) {
            throw new DownstreamLimitedException(Duration.ofSeconds(20), List.of("stripe"));
        }
    }

    @Test
    void closesBucketsWhenTheMethodIsRefusedDownstream() {
        runner.withUserConfiguration(RefusedDownstream.class).run(context -> {
            FakeDelivery delivery = client.subscription().deliver("charge it");
            await().until(() -> !delivery.settlements.isEmpty());
            assertThat(delivery.settlements)
                    .containsExactly(Nack.closeBuckets(
                            "io.fila.listener.DownstreamLimitedException: refused downstream for PT20S",
                            Duration.ofSeconds(20),
                            List.of("stripe")));
        });
    }

    static class EveryParameter {

        @FilaListener(queue = "orders")
        void charge(
                Charge charge,
                @Header("customer") String customer,
                @Header(name = "priority", required = false) @Nullable Integer priority,
                @Header(FilaHeaders.ATTEMPT) int attempt,
                @Headers Map<String, Object> headers,
                Message<?> message,
                FilaMessage filaMessage,
                Acknowledgement acknowledgement) {
            received.add(List.of(
                    charge,
                    customer,
                    String.valueOf(priority),
                    attempt,
                    headers.get("id"),
                    message.getPayload(),
                    filaMessage.queue(),
                    acknowledgement.isSettled()));
        }
    }

    @Test
    void fillsParametersByTypeAndAnnotation() {
        io.fila.client.Payload payload = io.fila.client.Payload.json("{\"customer\":\"acme\",\"cents\":5}");
        run(EveryParameter.class, () -> {
            FakeDelivery delivery = deliver(payload, Map.of("customer", "acme", "priority", "7", "id", "theirs"));
            assertThat(delivery.settlements).containsExactly("ack");
            assertThat(received.poll())
                    .isEqualTo(List.of(new Charge("acme", 5), "acme", "7", 1, "theirs", payload, "orders", false));
        });
    }

    static class Texts {

        @FilaListener(queue = "orders")
        void text(@Payload String text) {
            received.add(text);
        }
    }

    @Test
    void takesEmptyText() {
        run(Texts.class, () -> {
            assertThat(deliver(io.fila.client.Payload.text(""), Map.of()).settlements)
                    .containsExactly("ack");
            assertThat(received.poll()).isEqualTo("");
        });
    }

    static class Lists {

        @FilaListener(queue = "orders")
        void charges(List<Charge> charges) {
            received.add(charges.get(0).customer());
        }
    }

    @Test
    void convertsGenericTypes() {
        run(Lists.class, () -> {
            deliver(io.fila.client.Payload.json("[{\"customer\":\"acme\",\"cents\":5}]"), Map.of());
            assertThat(received.poll()).isEqualTo("acme");
        });
    }

    @Test
    void deadLettersWhatCannotBeConverted() {
        run(
                Lists.class,
                () -> assertThat(deliver(io.fila.client.Payload.text("hello"), Map.of()).settlements)
                        .singleElement()
                        .isInstanceOfSatisfying(Nack.class, nack -> {
                            assertThat(nack.deadLetter()).isTrue();
                            assertThat(nack.error())
                                    .contains("does not fit the parameters of")
                                    .contains("Lists#charges")
                                    .contains("the TEXT payload is no JSON for java.util.List<");
                        }));
    }

    static class RequiredHeader {

        @FilaListener(queue = "orders")
        void charge(@Header("customer") String customer) {
            received.add(customer);
        }
    }

    @Test
    void deadLettersWhatLacksARequiredHeader() {
        run(
                RequiredHeader.class,
                () -> assertThat(deliver(io.fila.client.Payload.text("hello"), Map.of()).settlements)
                        .singleElement()
                        .isInstanceOfSatisfying(Nack.class, nack -> {
                            assertThat(nack.deadLetter()).isTrue();
                            assertThat(nack.error()).contains("customer");
                        }));
    }

    static class Expressions {

        @FilaListener(
                queue = "${region}-orders",
                id = "orders-#{1 + 1}",
                concurrency = "${handlers}",
                autoStartup = "#{environment['region'] == 'us'}",
                errorHandler = "${errors}")
        @Throttle(name = "stripe", limits = "${rate}")
        void charge(String charge) {
            throw new IllegalStateException(charge);
        }

        @FilaListener(queue = "always")
        void other(String text) {}
    }

    @Test
    void evaluatesPlaceholdersAndExpressions() {
        FilaListenerErrorHandler errors = (message, failure) -> received.add(failure.getMessage());
        runner.withBean(Expressions.class)
                .withBean("myErrors", FilaListenerErrorHandler.class, () -> errors)
                .withPropertyValues("region=eu", "handlers=4", "rate=60/1m,20/1s", "errors=myErrors")
                .run(context -> {
                    FilaListenerEndpointRegistry registry = context.getBean(FilaListenerEndpointRegistry.class);
                    FilaListenerContainer container = registry.container("orders-2");
                    assertThat(container.queue()).isEqualTo("eu-orders");
                    assertThat(container.state()).isEqualTo(ListenerState.STOPPED);
                    assertThat(client.subscriptions)
                            .extracting(subscription -> subscription.spec.queue())
                            .containsExactly("always");

                    registry.start("orders-2");
                    assertThat(client.subscription().spec)
                            .isEqualTo(new SubscriptionSpec(
                                    "eu-orders", "orders-2", List.of(ThrottleSpec.of("stripe", "60/1m", "20/1s"))));
                    assertThat(client.subscription().credit).hasValue(4);
                    assertThat(deliver(io.fila.client.Payload.text("oh"), Map.of()).settlements)
                            .containsExactly("ack");
                    assertThat(received.poll()).isEqualTo("oh");
                });
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @FilaListener(queue = "orders", ackMode = AckMode.MANUAL)
    @Throttle(name = "stripe", limits = "20/1s")
    @interface Stripe {

        @AliasFor(annotation = FilaListener.class, attribute = "concurrency")
        String handlers();
    }

    static class Composed {

        @Stripe(handlers = "3")
        void charge(String charge, Acknowledgement acknowledgement) {
            acknowledgement.nack("not now", Duration.ofSeconds(9));
        }
    }

    @Test
    void findsMetaAnnotations() {
        run(Composed.class, () -> {
            assertThat(client.subscription().credit).hasValue(3);
            assertThat(client.subscription().spec.throttles()).containsExactly(ThrottleSpec.of("stripe", "20/1s"));
            assertThat(deliver(io.fila.client.Payload.text("a"), Map.of()).settlements)
                    .containsExactly(Nack.retryAfter("not now", Duration.ofSeconds(9)));
        });
    }

    static class Twins {

        @FilaListener(queue = "a", id = "one")
        void a(String text) {}

        @FilaListener(queue = "b", id = "one")
        void b(String text) {}
    }

    @Test
    void refusesTwoListenersOfOneId() {
        assertRefused(Twins.class, "two listeners have the id 'one'");
    }

    static class Asynchronous {

        @FilaListener(queue = "orders")
        CompletableFuture<Void> charge(String text) {
            return new CompletableFuture<>();
        }
    }

    @Test
    void refusesAMethodThatGoesOnAfterItReturns() {
        assertRefused(Asynchronous.class, "listener Asynchronous.charge returns a CompletableFuture");
    }

    static class NoNumber {

        @FilaListener(queue = "orders", concurrency = "many")
        void charge(String text) {}
    }

    @Test
    void refusesAConcurrencyThatIsNoNumber() {
        assertRefused(NoNumber.class, "listener NoNumber.charge: concurrency 'many' is not a number");
    }

    static class NoFactory {

        @FilaListener(queue = "orders", containerFactory = "absent")
        void charge(String text) {}
    }

    @Test
    void refusesABeanThatDoesNotExist() {
        assertRefused(NoFactory.class, "there is no bean 'absent' of type FilaListenerContainerFactory");
    }

    @Test
    void namesTheListenersThereAreWhenAskedForAnother() {
        runner.withBean("charges", Texts.class).run(context -> {
            FilaListenerEndpointRegistry registry = context.getBean(FilaListenerEndpointRegistry.class);
            assertThat(registry.containers())
                    .extracting(FilaListenerContainer::id)
                    .containsExactly("charges.text");
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> registry.pause("absent"))
                    .hasMessage("there is no listener 'absent'; there are [charges.text]");
        });
    }

    @Test
    void pausesAndResumesAndStopsById() {
        runner.withBean("charges", Texts.class).run(context -> {
            FilaListenerEndpointRegistry registry = context.getBean(FilaListenerEndpointRegistry.class);
            FilaListenerContainer container = registry.container("charges.text");
            registry.pause("charges.text");
            assertThat(container.state()).isEqualTo(ListenerState.PAUSED);
            registry.resume("charges.text");
            assertThat(container.state()).isEqualTo(ListenerState.RUNNING);
            registry.stop("charges.text");
            assertThat(container.state()).isEqualTo(ListenerState.STOPPED);
        });
    }

    private void assertRefused(Class<?> listeners, String message) {
        runner.withBean(listeners)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidDeclarationException.class)
                        .hasMessageContaining(message));
    }

    private void run(Class<?> listeners, Runnable test) {
        received.clear();
        Consumer<Throwable> none = failure -> assertThat(failure).isNull();
        runner.withBean(listeners).run(context -> {
            none.accept(context.getStartupFailure());
            test.run();
        });
    }

    private FakeDelivery deliver(io.fila.client.Payload payload, Map<String, String> headers) {
        FakeDelivery delivery =
                new FakeDelivery(client.subscription().spec.queue(), payload, headers, Duration.ofSeconds(30));
        client.subscription().deliver(delivery);
        await().until(() -> !delivery.settlements.isEmpty());
        return delivery;
    }
}
