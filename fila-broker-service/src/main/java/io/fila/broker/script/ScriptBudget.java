package io.fila.broker.script;

import java.time.Duration;

import org.springframework.util.unit.DataSize;

/**
 * What one run of a script may take.
 *
 * @param time of its thread's processor, so that a run is not ended for what others do to the machine
 * @param memory all that it allocates, whether or not it keeps it
 * @param steps instructions of the Lua machine; library functions count as so many as they do work
 */
public record ScriptBudget(Duration time, DataSize memory, long steps) {}
