package io.fila.broker.clock;

/** How the server that takes over a failed database was kept up to date. */
public enum Failover {

    /** It has every commit that was acknowledged. */
    SYNCHRONOUS,

    /** It may lack the latest. */
    ASYNCHRONOUS
}
