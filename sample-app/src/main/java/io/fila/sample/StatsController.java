package io.fila.sample;

import io.fila.listener.FilaListenerEndpointRegistry;
import io.fila.listener.ListenerState;
import io.fila.sample.provider.Provider;
import io.fila.sample.stats.DeliveryStats;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Shows the figures as JSON; the page at {@code /} polls them. */
@RestController
class StatsController {

    private final DeliveryStats stats;
    private final ObjectProvider<Provider> provider;
    private final FilaListenerEndpointRegistry listeners;

    StatsController(DeliveryStats stats, ObjectProvider<Provider> provider, FilaListenerEndpointRegistry listeners) {
        this.stats = stats;
        this.provider = provider;
        this.listeners = listeners;
    }

    @GetMapping("/stats")
    Stats stats() {
        DeliveryStats.Snapshot figures = stats.snapshot();
        Provider here = provider.getIfAvailable();
        return new Stats(
                figures,
                figures.ratePerSecond() / DeliveryStats.LIMIT,
                here == null ? null : here.mostInAnySecond(),
                listeners.container(MessageListener.ID).state() == ListenerState.RUNNING);
    }
}
