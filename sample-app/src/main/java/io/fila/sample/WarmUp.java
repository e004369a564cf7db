package io.fila.sample;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.fila.client.FilaException;
import io.fila.listener.FilaListener;
import io.fila.listener.FilaListenerEndpointRegistry;
import io.fila.sample.provider.ProviderClient;
import io.fila.template.FilaTemplate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Sends messages all the way from the broker to the provider before the first one that counts. In a new process the first passes
 * through the code take a hundred times as long as later ones: the first eight messages would arrive so late that the punctual next
 * eight came too close behind them.
 */
@Component
class WarmUp {

    private static final Logger log = LoggerFactory.getLogger(WarmUp.class);
    private static final String QUEUE = "warm-up";

    /** More than 5,000 passes, which is when the JVM compiles a method for good. */
    private static final int MESSAGES = 6_000;

    private static final int AT_ONCE = 400;
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final FilaTemplate fila;
    private final FilaListenerEndpointRegistry listeners;
    private final ProviderClient provider;
    private final Semaphore handled = new Semaphore(0);

    WarmUp(FilaTemplate fila, FilaListenerEndpointRegistry listeners, ProviderClient provider) {
        this.fila = fila;
        this.listeners = listeners;
        this.provider = provider;
    }

    @FilaListener(id = QUEUE, queue = QUEUE, concurrency = "16")
    void handle(String text) {
        provider.checkHealth();
        handled.release();
    }

    @EventListener(ApplicationReadyEvent.class)
    void begin() {
        Thread thread = new Thread(this::run, QUEUE);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            long began = System.nanoTime();
            int sent = 0;
            while (sent < MESSAGES && System.nanoTime() - began < PATIENCE.toNanos()) {
                sendAtOnce();
                sent += AT_ONCE;
                // an instance that starts at the same time may get them instead
                handled.tryAcquire(AT_ONCE, 2, TimeUnit.SECONDS);
            }
            listeners.stop(QUEUE);
            listeners.start(MessageListener.ID);
            log.info("warmed up with {} messages; waiting for those that count", sent);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sendAtOnce() throws InterruptedException {
        while (true) {
            try {
                fila.sendAll(QUEUE, Collections.nCopies(AT_ONCE, "warm-up"));
                return;
            } catch (FilaException e) {
                log.info("waiting for the broker: {}", e.getMessage());
                TimeUnit.SECONDS.sleep(1);
            }
        }
    }
}
