package io.fila.broker.admin;

import java.util.List;

import io.fila.broker.subscription.SettleResult;

/** Which leases were settled and which had been lost. */
record SettleAnswer(List<String> done, List<String> lost) implements Answer {

    static SettleAnswer of(SettleResult result) {
        return new SettleAnswer(Texts.of(result.done()), Texts.of(result.lost()));
    }
}
