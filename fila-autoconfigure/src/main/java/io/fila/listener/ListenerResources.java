package io.fila.listener;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

import io.fila.client.FilaClient;

/**
 * What the containers of a factory share.
 *
 * @param scheduler extends leases and subscribes again; its tasks never block
 * @param threads makes handler threads with a given prefix for their names
 */
record ListenerResources(
        FilaClient client,
        ListenerSettings settings,
        ScheduledExecutorService scheduler,
        Function<String, ThreadFactory> threads) {

    /** A fixed pool: the number of handlers is the bound on what a container holds. */
    ExecutorService handlers(String listener, int concurrency) {
        return Executors.newFixedThreadPool(concurrency, threads.apply(listener + "-"));
    }
}
