package io.fila.broker.message;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** {@link Messages} in PostgreSQL. */
@Service
class JdbcMessages implements Messages {

    private final Enqueues enqueues;
    private final MessageViews views;
    private final ReadySignals signals;

    JdbcMessages(Enqueues enqueues, MessageViews views, ReadySignals signals) {
        this.enqueues = enqueues;
        this.views = views;
        this.signals = signals;
    }

    @Override
    public CompletableFuture<List<Enqueued>> enqueue(QueueName name, List<NewMessage> messages, boolean indexed) {
        return enqueues.enqueue(name, messages, indexed);
    }

    @Override
    public EnqueueSequence sequence() {
        return enqueues.sequence();
    }

    @Override
    public MessageView get(UUID id) {
        return views.get(id);
    }

    @Override
    public Page list(QueueName queue, @Nullable MessageState state, int limit, @Nullable String after) {
        return views.list(queue, state, limit, after);
    }

    @Override
    public void cancel(UUID id, @Nullable QueueName queue) {
        MessageViews.Cancelled cancelled = views.cancel(id, queue);
        if (cancelled.wasUnclassified()) {
            // in an ordered queue, what came after it waited for it
            signals.lookThrough(cancelled.queueId());
        }
        if (cancelled.group() != null) {
            // the next of its ordering group may go
            signals.ready(cancelled.queueId(), cancelled.group(), cancelled.sequence() + 1, 1, null);
        }
    }
}
