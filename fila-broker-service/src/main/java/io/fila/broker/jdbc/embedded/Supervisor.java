package io.fila.broker.jdbc.embedded;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the server again when it has ended by itself, for instance because the machine ran out of memory: the broker
 * survives an absence of PostgreSQL, and nobody else would end this one.
 */
final class Supervisor {

    private static final Logger log = LoggerFactory.getLogger(Supervisor.class);

    /** Looks rather than waits: the end of a process that is not a child may never be told, see {@link Postmaster}. */
    private static final Executor EVERY_SECOND = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    private final Postmaster postmaster;
    private final int port;
    private final Duration startTimeout;

    /** Written by whoever stops the broker; guarded by this, like every start and stop. */
    private boolean stopped;

    private CompletableFuture<Void> watching = CompletableFuture.completedFuture(null);

    Supervisor(Postmaster postmaster, int port, Duration startTimeout) {
        this.postmaster = postmaster;
        this.port = port;
        this.startTimeout = startTimeout;
    }

    synchronized void start() {
        postmaster.start(port, startTimeout);
        watch();
    }

    synchronized void stop() {
        stopped = true;
        watching.cancel(false);
        postmaster.stop();
    }

    private void watch() {
        watching = CompletableFuture.runAsync(this::look, EVERY_SECOND);
    }

    private synchronized void look() {
        if (stopped) {
            return;
        }
        try {
            if (postmaster.process().isEmpty()) {
                log.warn("PostgreSQL has stopped by itself; starting it again on port {}", port);
                postmaster.start(port, startTimeout);
            }
        } catch (RuntimeException e) {
            log.error("Could not start PostgreSQL again; trying once more in a moment", e);
        }
        watch();
    }
}
