package io.fila.sample.provider;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fila.sample.stats.PeakCounter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Takes {@code POST /provider/messages}: 8 in any second are accepted, what exceeds them is dropped and answered with 429. Requests
 * are answered by the one thread that reads them, so that an arrival is noticed as soon as it can be; nothing here blocks.
 */
@Component
@ConditionalOnBooleanProperty(name = "sample.provider.enabled", matchIfMissing = true)
public class Provider implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Provider.class);
    private static final int LIMIT = 8;
    private static final Duration WINDOW = Duration.ofSeconds(1);

    static {
        // small answers must not wait for the acknowledgement of the ones before; read when the first server is made
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final int port;

    // guarded by this
    private final SlidingWindow window = new SlidingWindow(LIMIT, WINDOW);
    private final PeakCounter arrivals = new PeakCounter(WINDOW);
    private long dropped;

    private @Nullable HttpServer server;

    Provider(ProviderProperties properties) {
        this.port = properties.port();
    }

    int port() {
        return port;
    }

    /** The most messages that arrived in any second, dropped ones included. */
    public synchronized int mostInAnySecond() {
        return arrivals.most();
    }

    /** How many messages were dropped. */
    public synchronized long dropped() {
        return dropped;
    }

    /** The clock is read inside, so that arrivals are in the order of their times. */
    synchronized boolean arrived() {
        long now = System.nanoTime();
        arrivals.record(now);
        boolean accepted = window.admit(now);
        if (!accepted) {
            dropped++;
        }
        return accepted;
    }

    @Override
    public void start() {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try {
            HttpServer created = HttpServer.create(address, 0);
            created.createContext("/provider/messages", this::message);
            created.createContext("/provider/health", exchange -> answer(exchange, 200));
            created.start();
            server = created;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the provider cannot listen on port " + port + "; set sample.provider.port and sample.provider.url",
                    e);
        }
        log.info("the provider listens on port {} and accepts {} messages in any {}", port, LIMIT, WINDOW);
    }

    private void message(HttpExchange exchange) throws IOException {
        boolean post = exchange.getRequestMethod().equals("POST");
        int status = !post ? 405 : arrived() ? 200 : 429;
        answer(exchange, status);
    }

    private static void answer(HttpExchange exchange, int status) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, -1);
        }
    }

    @Override
    public void stop() {
        if (server != null) {
            server.stop(0);
            server = null;
        }
    }

    @Override
    public boolean isRunning() {
        return server != null;
    }

    /** With the web server: there before the listeners start, and until they have stopped. */
    @Override
    public int getPhase() {
        return SmartLifecycle.DEFAULT_PHASE - 2048;
    }
}
