package io.fila.listener;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.fila.declaration.InvalidDeclarationException;
import io.fila.declaration.QueueDeclarer;
import org.springframework.context.SmartLifecycle;

/**
 * Owns the containers of all listeners. They start with the application, once its queues are declared, and stop with it before
 * anything that handlers need. Safe for use by several threads.
 */
public final class FilaListenerEndpointRegistry implements SmartLifecycle {

    /** Late to start, early to stop: web servers and connection pools are there first and leave last. */
    public static final int PHASE = QueueDeclarer.PHASE + 100;

    private final CompletionStage<?> queuesDeclared;
    /** Guarded by itself. */
    private final Map<String, FilaListenerContainer> containers = new LinkedHashMap<>();

    private volatile boolean running;

    /** Containers start by themselves once {@code queuesDeclared} completes. */
    public FilaListenerEndpointRegistry(CompletionStage<?> queuesDeclared) {
        this.queuesDeclared = queuesDeclared;
    }

    /** Adds a listener; starts it if the registry is running and the listener is to start by itself. */
    public void register(FilaListenerEndpoint endpoint, FilaListenerContainerFactory factory) {
        FilaListenerContainer container = factory.createContainer(endpoint);
        synchronized (containers) {
            if (containers.putIfAbsent(endpoint.id(), container) != null) {
                throw new InvalidDeclarationException(
                        "two listeners have the id '" + endpoint.id() + "'", "give each an id of its own");
            }
        }
        if (running) {
            startWhenDeclared(container);
        }
    }

    /** Every container, in the order of registration. */
    public List<FilaListenerContainer> containers() {
        synchronized (containers) {
            return List.copyOf(containers.values());
        }
    }

    /** The container of a listener; throws {@link IllegalArgumentException} if there is none. */
    public FilaListenerContainer container(String id) {
        synchronized (containers) {
            FilaListenerContainer container = containers.get(id);
            if (container == null) {
                Collection<String> known = containers.keySet();
                throw new IllegalArgumentException("there is no listener '" + id + "'; there are " + known);
            }
            return container;
        }
    }

    public void start(String id) {
        container(id).start();
    }

    /** Waits for running handlers as long as the shutdown timeout allows. */
    public void stop(String id) {
        container(id).stop();
    }

    public void pause(String id) {
        container(id).pause();
    }

    public void resume(String id) {
        container(id).resume();
    }

    @Override
    public void start() {
        running = true;
        containers().forEach(this::startWhenDeclared);
    }

    private void startWhenDeclared(FilaListenerContainer container) {
        if (container.isAutoStartup()) {
            queuesDeclared.thenRun(() -> {
                if (running) {
                    container.start();
                }
            });
        }
    }

    /** All drain at once, so that together they take no longer than the slowest. */
    @Override
    public void stop() {
        running = false;
        List<FilaListenerContainer> all = containers();
        all.forEach(FilaListenerContainer::drain);
        all.forEach(FilaListenerContainer::stop);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
