package io.fila.listener;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

import io.fila.client.FilaClient;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** Makes containers that receive through one client and share one background thread. */
public final class DefaultFilaListenerContainerFactory implements FilaListenerContainerFactory, DisposableBean {

    private final ListenerResources resources;

    /** Containers whose handlers run on platform threads. */
    public DefaultFilaListenerContainerFactory(FilaClient client, ListenerSettings settings) {
        this(client, settings, CustomizableThreadFactory::new);
    }

    /** Containers whose handler threads come from {@code threads}, which is given a prefix for their names. */
    public DefaultFilaListenerContainerFactory(
            FilaClient client, ListenerSettings settings, Function<String, ThreadFactory> threads) {
        CustomizableThreadFactory background = new CustomizableThreadFactory("fila-listener-background-");
        background.setDaemon(true);
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, background);
        scheduler.setRemoveOnCancelPolicy(true);
        this.resources = new ListenerResources(client, settings, scheduler, threads);
    }

    @Override
    public FilaListenerContainer createContainer(FilaListenerEndpoint endpoint) {
        return new FilaListenerContainer(endpoint, resources);
    }

    @Override
    public void destroy() {
        resources.scheduler().shutdownNow();
    }
}
