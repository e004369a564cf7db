package io.fila.declaration;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.fila.client.FilaClient;
import io.fila.client.FilaException;
import io.fila.client.QueueSpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Declares the application's queues at start, before its listeners subscribe. The first attempt is made while the application
 * starts; if the broker is away, further ones follow in the background, and {@link #declared} completes late.
 */
public final class QueueDeclarer implements SmartLifecycle {

    /** Just before the listeners. */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 200;

    private static final Logger log = LoggerFactory.getLogger(QueueDeclarer.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final FilaClient client;
    private final Supplier<ScheduledExecutorService> schedulers;
    /** Written by the starting thread, then by the scheduler's only thread. */
    private final Deque<QueueSpec> undeclared;

    private final CompletableFuture<Void> declared = new CompletableFuture<>();
    private volatile boolean running;
    private @Nullable ScheduledExecutorService scheduler;

    public QueueDeclarer(FilaClient client, Collection<QueueSpec> queues) {
        this(client, queues, () -> Executors.newSingleThreadScheduledExecutor(QueueDeclarer::backgroundThread));
    }

    QueueDeclarer(FilaClient client, Collection<QueueSpec> queues, Supplier<ScheduledExecutorService> schedulers) {
        this.client = client;
        this.schedulers = schedulers;
        this.undeclared = new ArrayDeque<>(queues);
    }

    /** Completes when every queue is declared, or refused for good. */
    public CompletableFuture<Void> declared() {
        return declared;
    }

    @Override
    public void start() {
        running = true;
        FilaException away = declareAll();
        if (away != null) {
            log.warn(
                    "could not declare queues {}: {}; trying again in the background, listeners subscribe afterwards",
                    undeclared.stream().map(QueueSpec::name).toList(),
                    away.getMessage());
            scheduler = schedulers.get();
            declareLater(scheduler, FIRST_PAUSE);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // declareAll reports what goes wrong
    private void declareLater(ScheduledExecutorService background, Duration pause) {
        background.schedule(() -> declareAgain(background, pause), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void declareAgain(ScheduledExecutorService background, Duration pause) {
        if (running && declareAll() != null) {
            Duration next = pause.multipliedBy(2);
            declareLater(background, next.compareTo(LONGEST_PAUSE) < 0 ? next : LONGEST_PAUSE);
        }
    }

    /** Declares what is left; returns why it had to stop early, or null. */
    private @Nullable FilaException declareAll() {
        for (QueueSpec queue = undeclared.peek(); queue != null; queue = undeclared.peek()) {
            try {
                boolean created = client.declareQueue(queue);
                log.info("queue '{}' {}", queue.name(), created ? "created" : "is declared");
            } catch (FilaException e) {
                if (e.isRetryable()) {
                    log.debug("could not declare queue '{}'", queue.name(), e);
                    return e;
                }
                log.error(
                        "queue '{}' is left as it is: the broker refused its settings: {}",
                        queue.name(),
                        e.getMessage());
            }
            undeclared.remove();
        }
        declared.complete(null);
        return null;
    }

    @Override
    public void stop() {
        running = false;
        if (scheduler != null) {
            scheduler.shutdownNow();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    private static Thread backgroundThread(Runnable task) {
        Thread thread = new Thread(task, "fila-declare");
        thread.setDaemon(true);
        return thread;
    }
}
