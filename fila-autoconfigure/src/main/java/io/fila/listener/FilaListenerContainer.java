package io.fila.listener;

import io.fila.client.FilaException;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to a queue and handles its messages, a fixed number at a time. Safe for use by several threads; only {@link #stop}
 * blocks.
 */
public final class FilaListenerContainer {

    private final FilaListenerEndpoint endpoint;
    private final ListenerResources resources;
    private final Lifecycle lifecycle;

    /** From start to stop; guarded by the lifecycle's lock. */
    private @Nullable ListenerRun run;

    FilaListenerContainer(FilaListenerEndpoint endpoint, ListenerResources resources) {
        this.endpoint = endpoint;
        this.resources = resources;
        this.lifecycle = new Lifecycle(endpoint.id());
    }

    public String id() {
        return endpoint.id();
    }

    public String queue() {
        return endpoint.subscription().queue();
    }

    /** How many messages are handled at once. */
    public int concurrency() {
        Integer own = endpoint.concurrency();
        return own != null ? own : resources.settings().concurrency();
    }

    /** Whether it starts with the application. */
    public boolean isAutoStartup() {
        Boolean own = endpoint.autoStartup();
        return own != null ? own : resources.settings().autoStartup();
    }

    public ListenerState state() {
        return lifecycle.state();
    }

    /** Why it does not receive, or has stopped; null since the broker last accepted the subscription. */
    public @Nullable FilaException lastError() {
        return lifecycle.lastError();
    }

    /** Subscribes, unless it is started already. Returns at once. Refused while the container drains. */
    public void start() {
        lifecycle.run(() -> {
            if (lifecycle.state() == ListenerState.DRAINING) {
                throw new IllegalStateException("listener '" + id() + "' is stopping; start it when it has stopped");
            }
            if (lifecycle.transition(ListenerState.RUNNING)) {
                ListenerRun started = new ListenerRun(endpoint, resources, lifecycle, concurrency(), this::stop);
                run = started;
                lifecycle.error(null);
                lifecycle.afterwards(started::subscribe);
            }
        });
    }

    /** Asks for no more messages; those that are being handled go on. Does nothing unless running. */
    public void pause() {
        lifecycle.run(() -> {
            if (run != null && lifecycle.transition(ListenerState.PAUSED)) {
                run.takeBackCredit();
            }
        });
    }

    /** Asks for messages again. Does nothing unless paused. */
    public void resume() {
        lifecycle.run(() -> {
            if (run != null && lifecycle.transition(ListenerState.RUNNING)) {
                run.requestForFreeHandlers();
            }
        });
    }

    /** Begins to stop and returns at once; {@link #stop} completes it. */
    void drain() {
        lifecycle.run(() -> {
            if (run != null && lifecycle.transition(ListenerState.DRAINING)) {
                run.drain();
            }
        });
    }

    /**
     * Stops receiving, waits for running handlers as long as the shutdown timeout allows, and unsubscribes. Handlers that run even
     * longer are interrupted; unless they settle at once, their messages are delivered again when their leases expire.
     */
    public void stop() {
        drain();
        ListenerRun ending = current();
        if (ending == null) {
            return;
        }
        ending.awaitIdle();
        boolean ours = lifecycle.decide(() -> {
            if (run != ending || !lifecycle.transition(ListenerState.STOPPED)) {
                return false;
            }
            run = null;
            return true;
        });
        if (ours) {
            ending.close();
        }
    }

    private @Nullable ListenerRun current() {
        ListenerRun[] current = new ListenerRun[1];
        lifecycle.run(() -> current[0] = run);
        return current[0];
    }
}
