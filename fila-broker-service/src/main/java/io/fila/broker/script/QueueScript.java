package io.fila.broker.script;

/**
 * A script of a queue, to be run.
 *
 * @param queue its name, for people to read
 */
public record QueueScript(long queueId, String queue, Hook hook, String source) {}
