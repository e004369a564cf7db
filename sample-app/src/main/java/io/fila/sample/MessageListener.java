package io.fila.sample;

import io.fila.client.FilaMessage;
import io.fila.declaration.Throttle;
import io.fila.listener.FilaListener;
import io.fila.sample.provider.MessageDroppedException;
import io.fila.sample.provider.ProviderClient;
import io.fila.sample.stats.DeliveryStats;
import org.springframework.stereotype.Component;

/** Passes messages on to the provider, no faster than it allows. {@link WarmUp} starts it. */
@Component
class MessageListener {

    static final String ID = "messages";
    static final String QUEUE = "messages";

    private final ProviderClient provider;
    private final DeliveryStats stats;

    MessageListener(ProviderClient provider, DeliveryStats stats) {
        this.provider = provider;
        this.stats = stats;
    }

    /** Eight at once, as they may come all in the same instant. What the provider drops is thrown, and so delivered again. */
    @FilaListener(id = ID, queue = QUEUE, concurrency = "8", autoStartup = "false")
    @Throttle(name = "provider", limits = "${sample.rate:8/1s}")
    void handle(String text, FilaMessage message) throws MessageDroppedException {
        stats.delivered(message.enqueuedAt());
        try {
            provider.submit(text);
            stats.accepted();
        } catch (MessageDroppedException e) {
            stats.dropped();
            throw e;
        }
    }
}
