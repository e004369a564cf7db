package io.fila.broker.script;

import java.time.Duration;

/**
 * What a run used of its budget.
 *
 * @param time of the processor
 * @param bytes allocated, kept or not
 */
public record ScriptUsage(long steps, Duration time, long bytes) {

    static final ScriptUsage UNKNOWN = new ScriptUsage(0, Duration.ZERO, 0);
}
