/**
 * Long runs of packaged brokers on this machine: too long, or too dependent on the machine, for the tests. Each starts brokers as
 * users do, works on them through the client, and judges by their delivery logs.
 */
@NullMarked
package io.fila.benchmarks;

import org.jspecify.annotations.NullMarked;
