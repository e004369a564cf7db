package io.fila.client;

/**
 * What became of a sent message.
 *
 * @param id the id under which it is stored
 * @param duplicate a message with this id was there already; nothing was stored
 */
public record SendResult(String id, boolean duplicate) {}
