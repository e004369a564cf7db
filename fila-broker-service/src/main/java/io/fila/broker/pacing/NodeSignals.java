package io.fila.broker.pacing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import jakarta.annotation.PreDestroy;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Notifications;
import io.fila.broker.message.Weight;
import io.fila.broker.node.Node;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Tells other nodes what has become ready, and hears it from them: never one notification for each message, which would serialise
 * commits, but what has come together since the last one, a few milliseconds later. Nothing is sent while this node is alone.
 * A lost notification is made up for by the sweep.
 */
@Component
class NodeSignals {

    /** Receives what other nodes say. */
    interface Receiver {

        /** @param weight that of the latest message, if it is known */
        void ready(long queueId, UUID lane, long first, int count, @Nullable Weight weight);

        /** Look the queue through: there is too much to be named. */
        void sweep(long queueId);

        void rulesChanged(long queueId);

        /** Notifications may have been missed. */
        void missed();
    }

    private static final Logger log = LoggerFactory.getLogger(NodeSignals.class);
    private static final Duration TOGETHER = Duration.ofMillis(5);

    /** Keeps a notification below PostgreSQL's 8,000 bytes. */
    private static final int MAX_LANES = 75;

    private static final String SWEEP = "*";
    private static final String RULES = "!";

    private final Node node;
    private final Notifications notifications;
    private final ScheduledExecutorService sender;

    /** What is told of a lane. */
    private record Told(long first, long count, @Nullable Weight weight) {

        Told and(Told other) {
            return new Told(Math.min(first, other.first), count + other.count, Weight.latestOf(weight, other.weight));
        }
    }

    /** Guards what follows. */
    private final Object lock = new Object();

    private final Map<Long, Map<UUID, Told>> ready = new HashMap<>();
    private final List<Long> changed = new ArrayList<>();
    private final List<Long> lookedThrough = new ArrayList<>();
    private boolean sending;

    NodeSignals(Node node, Database database, DataSource dataSource) {
        this.node = node;
        this.notifications = new Notifications("fila_ready", database, dataSource);
        this.sender = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "fila-notifier");
            thread.setDaemon(true);
            return thread;
        });
    }

    void listen(Receiver receiver) {
        notifications.listen(text -> receive(text, receiver), receiver::missed);
    }

    void ready(long queueId, UUID lane, long first, int count, @Nullable Weight weight) {
        if (!node.hasOthers()) {
            return;
        }
        synchronized (lock) {
            Map<UUID, Told> lanes = ready.computeIfAbsent(queueId, id -> new HashMap<>());
            if (lanes.size() <= MAX_LANES) {
                lanes.merge(lane, new Told(first, count, weight), Told::and);
            }
            sendSoon();
        }
    }

    void lookThrough(long queueId) {
        if (!node.hasOthers()) {
            return;
        }
        synchronized (lock) {
            lookedThrough.add(queueId);
            sendSoon();
        }
    }

    void rulesChanged(long queueId) {
        synchronized (lock) {
            changed.add(queueId);
            sendSoon();
        }
    }

    @PreDestroy
    void close() {
        notifications.close();
        sender.shutdownNow();
    }

    private void sendSoon() {
        if (!sending && !sender.isShutdown()) {
            sending = true;
            sender.schedule(this::send, TOGETHER.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void send() {
        List<String> texts = new ArrayList<>();
        synchronized (lock) {
            sending = false;
            ready.forEach((queueId, lanes) -> texts.add(node.id() + ";" + queueId + ";" + text(lanes)));
            changed.stream().distinct().forEach(queueId -> texts.add(node.id() + ";" + queueId + ";" + RULES));
            lookedThrough.stream().distinct().forEach(queueId -> texts.add(node.id() + ";" + queueId + ";" + SWEEP));
            ready.clear();
            changed.clear();
            lookedThrough.clear();
        }
        try {
            notifications.send(texts);
        } catch (RuntimeException e) {
            log.debug("could not notify other nodes; their sweeps will find it", e);
        }
    }

    private static String text(Map<UUID, Told> lanes) {
        if (lanes.size() > MAX_LANES) {
            return SWEEP;
        }
        StringBuilder text = new StringBuilder();
        lanes.forEach((lane, told) -> {
            text.append(text.isEmpty() ? "" : ",").append(lane);
            text.append(':').append(told.first()).append(':').append(told.count());
            if (told.weight() != null) {
                text.append(':').append(told.weight().value());
                text.append(':').append(told.weight().sequence());
            }
        });
        return text.toString();
    }

    private void receive(String text, Receiver receiver) {
        String[] parts = text.split(";", 3);
        if (parts.length < 3 || parts[0].equals(node.id().toString())) {
            return;
        }
        long queueId = Long.parseLong(parts[1]);
        if (parts[2].equals(SWEEP)) {
            receiver.sweep(queueId);
        } else if (parts[2].equals(RULES)) {
            receiver.rulesChanged(queueId);
        } else {
            for (String lane : parts[2].split(",")) {
                String[] what = lane.split(":");
                int count = (int) Math.min(Integer.MAX_VALUE, Long.parseLong(what[2]));
                Weight weight = what.length < 5 ? null : new Weight(Integer.parseInt(what[3]), Long.parseLong(what[4]));
                receiver.ready(queueId, UUID.fromString(what[0]), Long.parseLong(what[1]), count, weight);
            }
        }
    }
}
