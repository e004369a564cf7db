package io.fila.broker.script;

import org.jspecify.annotations.Nullable;

/**
 * What a run came to, well or not, and what it used.
 *
 * @param answer null if there is none
 * @param failure null if there is an answer
 */
public record Trial<A>(@Nullable A answer, @Nullable ScriptException failure, ScriptUsage usage) {}
