package io.fila.broker.admin;

import java.util.Map;

import io.fila.broker.problem.Durations;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.script.Classification;
import io.fila.broker.script.ScriptException;
import io.fila.broker.script.Trial;
import io.fila.broker.script.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * What a script that was tried came to.
 *
 * @param answer null if it failed, or left it to the queue's policy
 * @param problem null if it did not fail
 */
record TrialAnswer(@Nullable Object answer, @Nullable Problem problem, long steps, long microseconds, long bytes)
        implements Answer {

    record Problem(String code, String detail) {}

    record Classified(
            @Nullable String fairnessKey, @Nullable Integer weight, Map<String, String> attributes) {}

    record Decided(String action, @Nullable String delay) {}

    static TrialAnswer ofClassification(Trial<Classification> trial) {
        Classification answer = trial.answer();
        return of(
                trial,
                answer == null ? null : new Classified(answer.fairnessKey(), answer.weight(), answer.attributes()));
    }

    static TrialAnswer ofVerdict(Trial<Verdict> trial) {
        Verdict answer = trial.answer();
        if (answer instanceof Verdict.Retry retry) {
            return of(trial, new Decided("retry", retry.delay() == null ? null : Durations.format(retry.delay())));
        }
        return of(trial, answer instanceof Verdict.DeadLetter ? new Decided("dlq", null) : null);
    }

    private static TrialAnswer of(Trial<?> trial, @Nullable Object answer) {
        ScriptException failure = trial.failure();
        return new TrialAnswer(
                answer,
                failure == null ? null : new Problem(code(failure).slug(), String.valueOf(failure.getMessage())),
                trial.usage().steps(),
                trial.usage().time().toNanos() / 1_000,
                trial.usage().bytes());
    }

    private static ProblemCode code(ScriptException failure) {
        return switch (failure.kind()) {
            case FAILED -> ProblemCode.SCRIPT_FAILED;
            case TIMED_OUT -> ProblemCode.SCRIPT_TIMED_OUT;
        };
    }
}
