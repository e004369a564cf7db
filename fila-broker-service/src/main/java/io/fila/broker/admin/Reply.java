package io.fila.broker.admin;

import java.util.concurrent.atomic.AtomicReference;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.MonoSink;

/** Where the answer to one request goes. A client that has gone hears nothing, and nothing is logged about it. */
final class Reply<T> {

    private static final Logger log = LoggerFactory.getLogger(Reply.class);

    private static final Runnable NOTHING = () -> {};
    private static final Runnable GONE = () -> {};

    private final MonoSink<T> sink;

    /** What to do when the client goes; {@link #GONE} once it has. */
    private final AtomicReference<Runnable> whenGone = new AtomicReference<>(NOTHING);

    Reply(MonoSink<T> sink) {
        this.sink = sink;
        sink.onCancel(() -> whenGone.getAndSet(GONE).run());
    }

    void success(T value) {
        sink.success(value);
    }

    void done() {
        sink.success();
    }

    void fail(Throwable failure) {
        if (whenGone.get() == GONE) {
            log.debug("the client of a failed call has gone", failure);
        } else {
            sink.error(failure);
        }
    }

    /** Calls {@code action} once if the client goes before it has an answer; at once if it has gone already. */
    void onGone(Runnable action) {
        if (!whenGone.compareAndSet(NOTHING, action)) {
            action.run();
        }
    }

    void answerWith(BlockingCalls.Work<T> work) {
        try {
            work.run(this);
        } catch (Throwable failure) {
            fail(failure);
        }
    }
}
