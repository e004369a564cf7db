package io.fila.broker.queue;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;

/** The name of a queue. Names that end in {@value #DEAD_LETTER_SUFFIX} are those of dead letter queues. */
public record QueueName(String value) {

    /** What the name of every dead letter queue ends in. */
    public static final String DEAD_LETTER_SUFFIX = ".dlq";

    /** The name of an existing queue, which may be a dead letter queue. */
    public static QueueName of(String value) {
        return new QueueName(Names.require("queue", value));
    }

    /** The name of a queue to be created: not one of the reserved ones. */
    public static QueueName forCreation(String value) {
        QueueName name = of(value);
        if (name.isDeadLetter()) {
            throw new ProblemException(
                    ProblemCode.RESERVED_NAME,
                    "queue: the suffix '%s' is reserved for dead letter queues, which exist by themselves; got '%s'"
                            .formatted(DEAD_LETTER_SUFFIX, value));
        }
        return name;
    }

    public boolean isDeadLetter() {
        return value.endsWith(DEAD_LETTER_SUFFIX);
    }

    /** The name of this queue's dead letter queue. */
    public QueueName deadLetter() {
        return new QueueName(value + DEAD_LETTER_SUFFIX);
    }

    /** The name of the queue itself, if this is a dead letter queue's. */
    public QueueName withoutDeadLetter() {
        return isDeadLetter() ? new QueueName(value.substring(0, value.length() - DEAD_LETTER_SUFFIX.length())) : this;
    }

    @Override
    public String toString() {
        return value;
    }
}
