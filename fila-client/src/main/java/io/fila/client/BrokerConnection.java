package io.fila.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.fila.protocol.v1.ConfigServiceGrpc;
import io.fila.protocol.v1.MessageServiceGrpc;
import io.fila.protocol.v1.QueueServiceGrpc;
import io.fila.protocol.v1.SubscriptionServiceGrpc;
import io.fila.protocol.v1.ThrottleServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;

/**
 * The gRPC channel of one client with its threads: workers, which run answers and listeners, and one timer, which never runs
 * foreign code. All are daemons and shared by everything the client does.
 */
final class BrokerConnection {

    private static final int MAX_FRAME_BYTES = 64 << 20;
    private static final long RECONNECT_SPACING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ManagedChannel channel;
    private final String address;
    private final Duration requestTimeout;
    private final BrokerErrors errors;
    // grows with blocked listeners only, so that one of them holds up nobody else; idle threads end
    private final ExecutorService workers = Executors.newCachedThreadPool(threads("fila-client-worker-"));
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads("fila-client-timer-"));
    private final AtomicLong lastReconnect = new AtomicLong(System.nanoTime() - RECONNECT_SPACING_NANOS);

    BrokerConnection(ManagedChannelBuilder<?> builder, String address, Duration requestTimeout) {
        this.address = address;
        this.requestTimeout = requestTimeout;
        this.errors = new BrokerErrors(address);
        // nearly every timer is cancelled long before it is due; without this they would pile up until then
        timer.setRemoveOnCancelPolicy(true);
        this.channel = builder.executor(workers)
                .userAgent("fila-client")
                .maxInboundMessageSize(MAX_FRAME_BYTES)
                // a broker that vanished without a word is noticed within 20 s
                .keepAliveTime(15, TimeUnit.SECONDS)
                .keepAliveTimeout(5, TimeUnit.SECONDS)
                .build();
    }

    MessageServiceGrpc.MessageServiceStub messages() {
        return MessageServiceGrpc.newStub(channel);
    }

    QueueServiceGrpc.QueueServiceStub queues() {
        return QueueServiceGrpc.newStub(channel);
    }

    ThrottleServiceGrpc.ThrottleServiceStub throttles() {
        return ThrottleServiceGrpc.newStub(channel);
    }

    ConfigServiceGrpc.ConfigServiceStub config() {
        return ConfigServiceGrpc.newStub(channel);
    }

    SubscriptionServiceGrpc.SubscriptionServiceStub subscriptions() {
        return SubscriptionServiceGrpc.newStub(channel);
    }

    String address() {
        return address;
    }

    Duration requestTimeout() {
        return requestTimeout;
    }

    BrokerErrors errors() {
        return errors;
    }

    /** Runs the task on a worker; after {@link #shutdown} not at all. */
    void execute(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException afterShutdown) {
            // nobody is left who waits for it
        }
    }

    /** Runs the task on a worker after the delay, unless the returned future is cancelled or the client shut down before. */
    Future<?> after(Duration delay, Runnable task) {
        try {
            return timer.schedule(() -> execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException afterShutdown) {
            return CompletableFuture.completedFuture(null);
        }
    }

    /**
     * Has the channel try to connect now. Its own waits grow to two minutes, which is too long once the broker is back; at most
     * one try per second, however many calls fail.
     */
    void reconnectSoon() {
        long now = System.nanoTime();
        long last = lastReconnect.get();
        if (now - last >= RECONNECT_SPACING_NANOS && lastReconnect.compareAndSet(last, now)) {
            channel.resetConnectBackoff();
        }
    }

    /** Ends the channel, at first politely, and then the threads. */
    void shutdown(Duration patience) {
        channel.shutdown();
        if (!terminatedWithin(patience)) {
            channel.shutdownNow();
            terminatedWithin(Duration.ofMillis(500));
        }
        timer.shutdownNow();
        workers.shutdown();
    }

    private boolean terminatedWithin(Duration patience) {
        try {
            return channel.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static ThreadFactory threads(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
