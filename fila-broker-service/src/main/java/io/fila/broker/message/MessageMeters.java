package io.fila.broker.message;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.fila.broker.queue.QueueName;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/** Counts what happens to messages, by queue. */
@Component
public class MessageMeters {

    private final MeterRegistry registry;
    private final Map<String, Map<QueueName, Counter>> counters = new ConcurrentHashMap<>();

    MessageMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    void enqueued(QueueName queue, int count) {
        add("fila.message.enqueued", queue, count);
    }

    /** Messages were handed to consumers. */
    public void delivered(QueueName queue, int count) {
        add("fila.message.delivered", queue, count);
    }

    void acked(QueueName queue, int count) {
        add("fila.message.acked", queue, count);
    }

    void nacked(QueueName queue, int count) {
        add("fila.message.nacked", queue, count);
    }

    void deadLettered(QueueName queue, int count) {
        add("fila.message.dead_lettered", queue, count);
    }

    /** Dead letters went back to this queue. */
    void redriven(QueueName queue, int count) {
        add("fila.message.redriven", queue, count);
    }

    /** Messages of this dead letter queue were removed since their retention had passed. */
    void expired(QueueName queue, int count) {
        add("fila.message.expired", queue, count);
    }

    private void add(String meter, QueueName queue, int count) {
        if (count > 0) {
            counters.computeIfAbsent(meter, name -> new ConcurrentHashMap<>())
                    .computeIfAbsent(queue, name -> registry.counter(meter, "queue", name.value()))
                    .increment(count);
        }
    }
}
