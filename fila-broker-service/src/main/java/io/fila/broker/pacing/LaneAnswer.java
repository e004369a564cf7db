package io.fila.broker.pacing;

import java.util.UUID;

/**
 * What a claim says of one proposed lane.
 *
 * @param asked how many were asked for, after the room of its buckets was counted
 * @param leased how many there were: fewer than asked for means that the lane is drained
 * @param head where to look from now on
 */
record LaneAnswer(UUID lane, int asked, int leased, long head) {}
