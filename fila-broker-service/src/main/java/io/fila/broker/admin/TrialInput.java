package io.fila.broker.admin;

import java.util.Map;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.script.EnqueuedMessage;
import io.fila.broker.script.FailedMessage;
import io.fila.broker.script.Hook;

/** A script to be tried, and the sample that it is tried with; what the sample does not say is as of an ordinary message. */
record TrialInput(Hook hook, String script, Fields message) {

    private static final String SOME_ID = "00000000-0000-7000-8000-000000000000";

    private static final Field<Hook> FUNCTION = Field.of("function", TrialInput::hook);
    private static final Field<String> SCRIPT = Field.of("script", JsonInput::text);

    private static final Field<Map<String, String>> HEADERS = Field.of("headers", JsonInput::texts);
    private static final Field<Integer> PAYLOAD_SIZE = Field.of("payloadSize", in -> whole(in, 0));
    private static final Field<String> QUEUE = Field.of("queue", JsonInput::text);
    private static final Field<String> ID = Field.of("id", in -> in.uuid().toString());
    private static final Field<Integer> ATTEMPTS = Field.of("attempts", in -> whole(in, 1));
    private static final Field<Integer> REDRIVES = Field.of("redrives", in -> whole(in, 0));
    private static final Field<String> REASON = Field.of("reason", JsonInput::text);
    private static final Field<String> ERROR = Field.of("error", JsonInput::text);
    private static final Field<Fields> MESSAGE =
            Field.of("message", in -> in.object(HEADERS, PAYLOAD_SIZE, QUEUE, ID, ATTEMPTS, REDRIVES, REASON, ERROR));

    static TrialInput read(JsonInput in) {
        Fields given = in.object(FUNCTION, SCRIPT, MESSAGE);
        return new TrialInput(
                given.get(FUNCTION, Hook.ON_ENQUEUE), given.require(SCRIPT), given.get(MESSAGE, Fields.none()));
    }

    EnqueuedMessage enqueued() {
        return new EnqueuedMessage(
                message.get(HEADERS, Map.of()), message.get(PAYLOAD_SIZE, 0), message.get(QUEUE, "sample"));
    }

    FailedMessage failed() {
        return new FailedMessage(
                message.get(ID, SOME_ID),
                message.get(HEADERS, Map.of()),
                message.get(ATTEMPTS, 1),
                message.get(REDRIVES, 0),
                message.get(QUEUE, "sample"),
                message.get(REASON, "nack"),
                message.get(ERROR, ""));
    }

    private static int whole(JsonInput in, int least) {
        return (int) in.wholeNumber(least, Integer.MAX_VALUE);
    }

    private static Hook hook(JsonInput in) {
        String text = in.text();
        for (Hook hook : Hook.values()) {
            if (hook.functionName().equals(text)) {
                return hook;
            }
        }
        throw ProblemException.invalid(
                "%s: expected on_enqueue or on_failure, got '%s'".formatted(in.path(), Names.shown(text)));
    }
}
