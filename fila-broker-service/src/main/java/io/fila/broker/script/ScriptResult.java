package io.fila.broker.script;

import java.time.Duration;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;

/** What came of a script for one message. */
public sealed interface ScriptResult<A> {

    record Answered<A>(A answer) implements ScriptResult<A> {}

    /**
     * There is no answer.
     *
     * @param isRun false if the script was not even run, since it has kept timing out
     * @param isTransient whether the next run may answer for the same message
     * @param reason for people to read
     * @param retryAfter when it makes sense to try again, if it does
     */
    record Unanswered<A>(boolean isRun, boolean isTransient, String reason, Duration retryAfter)
            implements ScriptResult<A> {

        /** As a producer is told it. */
        public ProblemException toProblem(String at, QueueScript script) {
            String subject = "%s: %s of queue '%s' ".formatted(at, script.hook().functionName(), script.queue());
            return isTransient
                    ? new ProblemException(
                            ProblemCode.SCRIPT_TIMED_OUT, subject + reason + "; try again", retryAfter, null)
                    : new ProblemException(ProblemCode.SCRIPT_FAILED, subject + "failed: " + reason);
        }

        /** As it stands in the history of a message. */
        public String failureReason() {
            return isTransient ? "script_timed_out" : "script_failed";
        }
    }
}
