package io.fila.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.fila.client.DeliveryDurability;
import io.fila.client.FilaAdmin;
import io.fila.client.FilaClient;
import io.fila.client.FilaException;
import io.fila.client.MissingKey;
import io.fila.client.QueueSpec;
import io.fila.client.QueueSpec.Ordering.WhenKeyMissing;
import io.fila.client.QueueSpec.WhenScriptFails;
import io.fila.client.ThrottleSpec;
import io.fila.declaration.InvalidDeclarationException;
import io.fila.declaration.Throttle;
import io.fila.fake.FakeClient;
import io.fila.listener.FilaListener;
import io.fila.listener.FilaListenerContainerFactory;
import io.fila.listener.FilaListenerEndpointRegistry;
import io.fila.listener.ListenerState;
import io.fila.template.FilaTemplate;
import io.fila.template.JsonPayloadConverter;
import io.fila.template.PayloadConverter;
import io.fila.throttle.FilaThrottles;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class FilaAutoConfigurationTests {

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    FilaClientAutoConfiguration.class,
                    FilaTemplateAutoConfiguration.class,
                    FilaThrottlesAutoConfiguration.class,
                    FilaDeclarationAutoConfiguration.class,
                    FilaListenerAutoConfiguration.class));

    private final ApplicationContextRunner runner = bare.withBean(FakeClient.class);

    @Test
    void providesAClientATemplateAndListeners() {
        bare.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context).hasSingleBean(FilaClient.class);
            assertThat(context).hasSingleBean(FilaAdmin.class);
            assertThat(context).hasSingleBean(FilaTemplate.class);
            assertThat(context).hasSingleBean(FilaThrottles.class);
            assertThat(context).hasSingleBean(FilaListenerEndpointRegistry.class);
            assertThat(context).hasSingleBean(FilaListenerContainerFactory.class);
            assertThat(context.getBean(PayloadConverter.class)).isInstanceOf(JsonPayloadConverter.class);
        });
    }

    @Test
    void administersThroughTheClientThatThereIs() {
        runner.run(context ->
                assertThat(context.getBean(FilaAdmin.class)).isSameAs(context.getBean(FakeClient.class).admin));
    }

    @Test
    void backsOffBeforeTheApplicationsOwnBeans() {
        PayloadConverter converter = mock(PayloadConverter.class);
        FilaListenerContainerFactory factory = mock(FilaListenerContainerFactory.class);
        FilaThrottles throttles = mock(FilaThrottles.class);
        FilaAdmin admin = mock(FilaAdmin.class);
        runner.withBean(PayloadConverter.class, () -> converter)
                .withBean(FilaThrottles.class, () -> throttles)
                .withBean(FilaAdmin.class, () -> admin)
                .withBean("filaListenerContainerFactory", FilaListenerContainerFactory.class, () -> factory)
                .run(context -> {
                    assertThat(context.getBean(FilaClient.class)).isInstanceOf(FakeClient.class);
                    assertThat(context.getBean(PayloadConverter.class)).isSameAs(converter);
                    assertThat(context.getBean(FilaThrottles.class)).isSameAs(throttles);
                    assertThat(context.getBean(FilaAdmin.class)).isSameAs(admin);
                    assertThat(context.getBean(FilaListenerContainerFactory.class))
                            .isSameAs(factory);
                });
    }

    @Test
    void worksWithoutBootsJackson() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(FilaClientAutoConfiguration.class, FilaTemplateAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.jackson"))
                .run(context -> assertThat(context).hasSingleBean(FilaTemplate.class));
    }

    @Test
    void declaresQueuesOfConfigurationAndBeansBeforeListenersSubscribe() {
        runner.withBean("reports", QueueSpec.class, () -> QueueSpec.of("reports"))
                .withPropertyValues(
                        "fila.queues.orders.visibility-timeout=45s",
                        "fila.queues.orders.retry.max-attempts=5",
                        "fila.queues.orders.retry.backoff.initial=250ms",
                        "fila.queues.orders.retry.backoff.multiplier=1.5",
                        "fila.queues.orders.retry.backoff.max=10s",
                        "fila.queues.orders.retry.backoff.jitter=0.2",
                        "fila.queues.orders.max-backlog=1000",
                        "fila.queues.orders.ordering.key=header:account",
                        "fila.queues.orders.ordering.when-key-missing=unordered",
                        "fila.queues.orders.delivery-durability=fast",
                        "fila.queues.orders.dead-letter-retention=14d",
                        "fila.queues.orders.on-enqueue=function on_enqueue(msg) end",
                        "fila.queues.orders.when-script-fails.policy=park",
                        "fila.queues.orders.when-script-fails.dead-letter-after=3")
                .run(context -> assertThat(context.getBean(FakeClient.class).declared)
                        .containsExactly(
                                new QueueSpec(
                                        "orders",
                                        Duration.ofSeconds(45),
                                        new QueueSpec.Retry(
                                                5, Duration.ofMillis(250), 1.5, Duration.ofSeconds(10), 0.2),
                                        1000L,
                                        new QueueSpec.Ordering(List.of("header:account"), WhenKeyMissing.UNORDERED),
                                        DeliveryDurability.FAST,
                                        Duration.ofDays(14),
                                        new QueueSpec.Scripts(
                                                "function on_enqueue(msg) end",
                                                null,
                                                new WhenScriptFails(WhenScriptFails.Policy.PARK, 3))),
                                QueueSpec.of("reports")));
    }

    /** Once refused here, though the broker takes it. */
    @Test
    void allowsAttemptsWithoutAPause() {
        runner.withPropertyValues("fila.queues.orders.retry.backoff.initial=0s")
                .run(context -> assertThat(context.getBean(FakeClient.class).declared)
                        .extracting(QueueSpec::retry)
                        .containsExactly(new QueueSpec.Retry(null, Duration.ZERO, null, null, null)));
    }

    @Test
    void refusesAQueueThatIsDeclaredTwice() {
        runner.withBean(QueueSpec.class, () -> QueueSpec.of("orders"))
                .withPropertyValues("fila.queues.orders.max-backlog=1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("queue 'orders' is declared twice"));
    }

    @Test
    void startsWithoutABrokerAndSubscribesOnceTheQueuesAreDeclared() {
        bare.withBean(FakeClient.class, () -> {
                    FakeClient client = new FakeClient();
                    client.declarationProblem =
                            queue -> new FilaException("broker-unreachable", "no broker", true, null);
                    return client;
                })
                .withUserConfiguration(Reports.class)
                .withPropertyValues("fila.queues.reports.max-backlog=1", "fila.throttles.reporting.limits=2/1s")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    FakeClient client = context.getBean(FakeClient.class);
                    FilaListenerEndpointRegistry registry = context.getBean(FilaListenerEndpointRegistry.class);
                    assertThat(client.subscriptions).isEmpty();
                    assertThat(registry.container("reports.report").state()).isEqualTo(ListenerState.STOPPED);

                    client.declarationProblem = queue -> null;
                    org.awaitility.Awaitility.await().until(() -> client.subscriptions.size() == 1);
                });
    }

    @Test
    void takesAThrottleFromConfiguration() {
        runner.withUserConfiguration(Reports.class)
                .withPropertyValues(
                        "fila.throttles.reporting.limits=2/1s,60/1m",
                        "fila.throttles.reporting.key=fairnessKey",
                        "fila.throttles.reporting.when-key-missing=unthrottled")
                .run(context -> assertThat(context.getBean(FakeClient.class)
                                .subscription()
                                .spec
                                .throttles())
                        .containsExactly(new ThrottleSpec(
                                "reporting",
                                List.of("2/1s", "60/1m"),
                                List.of("fairnessKey"),
                                MissingKey.UNTHROTTLED)));
    }

    @Test
    void namesTheListenerAndTheRemedyWhenAThrottleIsUnknown() {
        runner.withUserConfiguration(Reports.class).run(context -> {
            Throwable failure = context.getStartupFailure();
            assertThat(failure).isInstanceOf(InvalidDeclarationException.class);
            assertThat(failure)
                    .hasMessageStartingWith(
                            "listener Listener.report: throttle 'reporting' has no limits and is not defined")
                    .hasMessageContaining("define fila.throttles.reporting.limits");
            var analysis = new InvalidDeclarationFailureAnalyzer().analyze(failure);
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription()).startsWith("Listener Listener.report: throttle 'reporting'");
            assertThat(analysis.getAction()).startsWith("Define fila.throttles.reporting.limits");
        });
    }

    @Test
    void refusesConfigurationThatCannotWork() {
        Function<String, String> failure = property -> {
            String[] message = new String[1];
            runner.withPropertyValues(property).run(context -> {
                Throwable cause = context.getStartupFailure();
                assertThat(cause).as(property).isNotNull();
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                message[0] = cause.getMessage();
            });
            return message[0];
        };
        assertThat(failure.apply("fila.throttles.a.limits=8"))
                .contains("throttle 'a': limit '8' is not of the form N/W");
        assertThat(failure.apply("fila.throttles.a.key=fairnessKey")).contains("throttle 'a': there are no limits");
        assertThat(failure.apply("fila.queues.orders.visibility-timeout=0s"))
                .contains("fila.queues.orders.visibility-timeout is PT0S");
        assertThat(failure.apply("fila.queues.orders.retry.backoff.jitter=2"))
                .contains("fila.queues.orders.retry.backoff.jitter is 2.0");
        assertThat(failure.apply("fila.queues.orders.retry.backoff.initial=-1s"))
                .contains("fila.queues.orders.retry.backoff.initial is PT-1S; use zero or more");
        assertThat(failure.apply("fila.queues.orders.retry.max-attempts=0")).contains("use 1 or more");
        assertThat(failure.apply("fila.listener.concurrency=0")).contains("fila.listener.concurrency is 0");
        assertThat(failure.apply("fila.client.request-timeout=0s")).contains("fila.client.request-timeout is PT0S");
    }

    @Test
    void doesNotShowTheToken() {
        FilaClientProperties properties =
                new FilaClientProperties("dns:///broker:7433", "secret", Duration.ofSeconds(1), false);
        assertThat(properties.toString()).doesNotContain("secret").contains("dns:///broker:7433");
    }

    @Test
    void stopsListenersBeforeItClosesTheClient() {
        FakeClient client = new FakeClient();
        bare.withBean(FilaClient.class, () -> client)
                .withUserConfiguration(Reports.class)
                .withPropertyValues("fila.throttles.reporting.limits=2/1s")
                .run(context -> assertThat(client.subscription().closed).isFalse());
        assertThat(client.subscription().closed).isTrue();
        assertThat(client.closed).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    static class Reports {

        @Bean
        Listener reports() {
            return new Listener();
        }

        static class Listener {

            @FilaListener(queue = "reports")
            @Throttle("reporting")
            void report(String report) {}
        }
    }
}
