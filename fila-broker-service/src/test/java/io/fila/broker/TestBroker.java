package io.fila.broker;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.fila.broker.message.Messages;
import io.fila.broker.message.NewMessage;
import io.fila.broker.message.Payload;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.subscription.Streams;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;

/** A broker node in this JVM on free ports. Several on one database make a cluster with one clock. */
public final class TestBroker implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    private TestBroker(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts a node; {@code properties} are further {@code key=value} settings. */
    public static TestBroker start(String jdbcUrl, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.grpc.server.port=0",
                "--spring.jmx.enabled=false",
                "--spring.datasource.url=" + jdbcUrl));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return new TestBroker(new SpringApplicationBuilder(FilaBrokerApplication.class)
                .web(WebApplicationType.REACTIVE)
                .run(arguments.toArray(String[]::new)));
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public int grpcPort() {
        return bean(GrpcServerLifecycle.class).getPort();
    }

    public int httpPort() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    public Streams streams() {
        return bean(Streams.class);
    }

    public QueueName createQueue(String name) {
        QueueName queue = QueueName.of(name);
        bean(Queues.class).declare(queue, new SettingsChange(null, null, null));
        return queue;
    }

    /** Stores {@code count} messages with these headers and waits until they are. */
    public void enqueue(QueueName queue, int count, Map<String, String> headers) {
        enqueue(queue, count, headers, null);
    }

    public void enqueue(QueueName queue, int count, Map<String, String> headers, String fairnessKey) {
        List<NewMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Payload payload = new Payload(("message " + i).getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT);
            messages.add(new NewMessage(null, payload, headers, fairnessKey, 1, null, null));
        }
        bean(Messages.class)
                .enqueue(queue, messages)
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    @Override
    public void close() {
        context.close();
    }
}
