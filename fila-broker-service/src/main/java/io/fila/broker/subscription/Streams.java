package io.fila.broker.subscription;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.PreDestroy;

import io.fila.broker.message.Lease;
import io.fila.broker.message.Leases;
import io.fila.broker.message.Settlement;
import io.fila.broker.node.Node;
import io.fila.broker.pacing.DeliverySink;
import io.fila.broker.pacing.Pacing;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.throttle.ThrottleDeclaration;
import org.springframework.stereotype.Service;

/**
 * Subscriptions whose consumer is connected to this node by a stream: they last as long as it, or until others take this node for
 * dead. Safe for use by several threads; opening blocks on the database.
 */
@Service
public class Streams implements Node.LapseListener {

    private final SubscriptionStore store;
    private final Queues queues;
    private final Pacing pacing;
    private final Leases leases;
    private final Node node;
    private final SubscriptionReaper reaper;
    private final Map<UUID, Stream> open = new ConcurrentHashMap<>();

    /** How often others may have taken this node for dead. Written by the heart, read by whoever opens. */
    private volatile long lapses;

    Streams(
            SubscriptionStore store,
            Queues queues,
            Pacing pacing,
            Leases leases,
            Node node,
            SubscriptionReaper reaper) {
        this.store = store;
        this.queues = queues;
        this.pacing = pacing;
        this.leases = leases;
        this.node = node;
        this.reaper = reaper;
    }

    /** One accepted stream. */
    public final class Stream {

        private final UUID id;
        private final Queue queue;
        private final String consumer;
        private final DeliverySink sink;

        private Stream(UUID id, Queue queue, String consumer, DeliverySink sink) {
            this.id = id;
            this.queue = queue;
            this.consumer = consumer;
            this.sink = sink;
        }

        public UUID id() {
            return id;
        }

        public Duration visibilityTimeout() {
            return queue.settings().visibilityTimeout();
        }

        /** Whether the queue keeps an order. */
        public boolean isOrdered() {
            return queue.settings().ordering() != null;
        }

        /** Starts delivering. To be called once, when the consumer has been told that it is accepted. */
        public void start() {
            pacing.add(queue.id(), sink);
        }

        /** The consumer is ready for more. */
        public void credited() {
            pacing.credited(queue.id());
        }

        /** Settles leases of the queue; completes with those that had been lost. */
        public CompletableFuture<Set<Lease>> settle(List<? extends Settlement> settlements) {
            return leases.settle(queue, consumer, settlements);
        }

        /** The stream is over: the subscription and its declarations end. Returns at once. */
        public void close() {
            pacing.remove(queue.id(), sink);
            if (open.remove(id) != null) {
                reaper.end(queue.id(), id);
            }
        }
    }

    /**
     * Accepts a subscription; its throttles bind every delivery from then on. If messages may be under way that were claimed without
     * them, that takes until they have been sent or never will be.
     */
    public Stream open(QueueName name, String consumer, List<ThrottleDeclaration> throttles, DeliverySink sink) {
        Names.require("consumer", consumer);
        ThrottleDeclaration.requireDistinct(throttles);
        if (!node.isCurrent()) {
            throw unavailable("this broker node has lost the database; connect again");
        }
        long lapsesBefore = lapses;
        Queue queue = queues.get(name);
        UUID id = UUID.randomUUID();
        SubscriptionStore.Accepted accepted;
        try {
            accepted = store.accept(id, queue, consumer, node.id(), null, throttles);
        } catch (RuntimeException e) {
            if (isInDoubt(e)) {
                // nobody has a stream that would end it, and the node lives on
                reaper.end(queue.id(), id);
            }
            throw e;
        }
        Stream stream = new Stream(id, queue, consumer, sink);
        open.put(id, stream);
        accepted.affected().forEach(pacing::rulesChanged);
        if (accepted.bindsOthers()) {
            outlastOlderClaims(stream);
        }
        if (lapses != lapsesBefore) {
            // others may have ended it before it could be found here
            stream.close();
            throw unavailable(
                    "the subscription was lost while this broker node or its database was away; connect again");
        }
        return stream;
    }

    /** Ends the streams whose subscriptions others have ended meanwhile, or a failover has lost: their consumers connect again and declare again. */
    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the heart writes
    public void lapsed() {
        lapses++;
        // before the look at the database, or one that is accepted in between would count as ended
        List<Stream> present = List.copyOf(open.values());
        if (present.isEmpty()) {
            return;
        }
        Set<UUID> alive = store.findOf(node.id());
        for (Stream stream : present) {
            if (!alive.contains(stream.id)) {
                stream.close();
                stream.sink.end(unavailable(
                        "the subscription was lost while this broker node or its database was away; connect again"));
            }
        }
    }

    @PreDestroy
    void close() {
        for (Stream stream : List.copyOf(open.values())) {
            stream.close();
        }
    }

    private void outlastOlderClaims(Stream stream) {
        long until = System.nanoTime() + pacing.tokenExpiry().toNanos();
        try {
            for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
                TimeUnit.NANOSECONDS.sleep(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stream.close();
            throw unavailable("this broker node is shutting down; connect to another, or again");
        }
    }

    /** Whether what was to be accepted may have been stored. */
    private static boolean isInDoubt(RuntimeException e) {
        return !(e instanceof ProblemException problem) || problem.code() == ProblemCode.STORAGE_UNAVAILABLE;
    }

    private static ProblemException unavailable(String detail) {
        return new ProblemException(ProblemCode.STORAGE_UNAVAILABLE, detail, Duration.ofSeconds(1), null);
    }
}
