package io.fila.broker.subscription;

import java.util.List;

import io.fila.broker.message.Lease;

/** Which leases were settled and which had been lost. */
public record SettleResult(List<Lease> done, List<Lease> lost) {}
