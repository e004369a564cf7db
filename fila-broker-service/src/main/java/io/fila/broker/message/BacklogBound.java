package io.fila.broker.message;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import jakarta.annotation.PreDestroy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Keeps queues that have a maximum backlog below it. What waits is counted in the background once half of the room may have been
 * used, at most once a second for a queue and for a tenth of the time; producers wait for a count only when the node has just begun
 * to know the queue, or there was no room a while ago. So the bound may be passed by what other nodes store between two counts, and
 * by what comes back from consumers.
 */
@Component
class BacklogBound {

    private static final Logger log = LoggerFactory.getLogger(BacklogBound.class);
    private static final Duration SOON = Duration.ofSeconds(1);

    /** How many queues are read at the same moment: each takes a connection. */
    private static final int READERS = 2;

    private final BacklogStore store;
    private final LongSupplier nanoTime;
    private final Cache<Bounded, BacklogRoom> rooms = Caffeine.newBuilder()
            .expireAfterAccess(Duration.ofMinutes(10))
            .maximumSize(10_000)
            .build();

    /** What is being read, one thing for a queue. */
    private final Map<Bounded, CompletableFuture<Void>> reads = new ConcurrentHashMap<>();

    private final ExecutorService readers = Executors.newFixedThreadPool(READERS, task -> {
        Thread thread = new Thread(task, "fila-backlog-counter");
        thread.setDaemon(true);
        return thread;
    });

    @Autowired
    BacklogBound(BacklogStore store) {
        this(store, System::nanoTime);
    }

    BacklogBound(BacklogStore store, LongSupplier nanoTime) {
        this.store = store;
        this.nanoTime = nanoTime;
    }

    private record Bounded(long id, QueueName name, long most) {}

    /** Lets {@code more} messages into the queue, or throws {@code queue-full}. */
    void admit(Queue queue, int more) {
        Long most = queue.settings().maxBacklog();
        if (most == null) {
            return;
        }
        Bounded bounded = new Bounded(queue.id(), queue.name(), most);
        BacklogRoom room = rooms.get(bounded, key -> new BacklogRoom(key.most()));
        long start = System.nanoTime();
        while (true) {
            switch (room.take(more, nanoTime.getAsLong())) {
                case COME_IN -> {
                    return;
                }
                case COME_IN_AND_LOOK -> {
                    begin(bounded, () -> look(bounded, room));
                    return;
                }
                case QUEUE_IS_FULL ->
                    throw new ProblemException(
                            ProblemCode.QUEUE_FULL,
                            "queue: '%s' holds as many waiting messages as its maxBacklog of %d allows; send again later"
                                    .formatted(queue.name(), most),
                            SOON,
                            null);
                case COUNT -> await(begin(bounded, () -> count(bounded, room)), bounded, start);
            }
        }
    }

    @PreDestroy
    void close() {
        readers.shutdownNow();
    }

    private void look(Bounded bounded, BacklogRoom room) {
        if (room.isOutdated(store.lastSequence(), nanoTime.getAsLong())) {
            count(bounded, room);
        }
    }

    private void count(Bounded bounded, BacklogRoom room) {
        room.countBegins(nanoTime.getAsLong());
        room.counted(store.count(bounded.id(), bounded.name(), bounded.most()), nanoTime.getAsLong());
    }

    /** Begins to read, unless somebody does already for the queue. */
    private CompletableFuture<Void> begin(Bounded bounded, Runnable read) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> present = reads.putIfAbsent(bounded, mine);
        if (present != null) {
            return present;
        }
        readers.execute(() -> {
            try {
                read.run();
                // first: whoever is told may ask for the next at once
                reads.remove(bounded, mine);
                mine.complete(null);
            } catch (RuntimeException | Error e) {
                log.debug("could not read the backlog of queue '{}'; trying again", bounded.name(), e);
                reads.remove(bounded, mine);
                mine.completeExceptionally(e);
            }
        });
        return mine;
    }

    private static void await(CompletableFuture<Void> read, Bounded bounded, long start) {
        try {
            read.get(Database.PATIENCE.toNanos() - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ProblemException problem ? problem : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw unavailable("the backlog of queue '%s' is still being counted".formatted(bounded.name()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("the broker is shutting down");
        }
    }

    private static ProblemException unavailable(String why) {
        return new ProblemException(
                ProblemCode.STORAGE_UNAVAILABLE, why + ", so nothing was done; try again", SOON, null);
    }
}
