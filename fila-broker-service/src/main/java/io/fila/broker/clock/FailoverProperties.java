package io.fila.broker.clock;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The database's failover.
 *
 * @param failover whether the server that takes over has every commit ({@code synchronous}), or may lack the latest ({@code
 *     asynchronous}): then deliveries may be missing from the count, so throttled queues pause for the longest window of their
 *     throttles
 */
@ConfigurationProperties("fila.broker.database")
record FailoverProperties(@DefaultValue("synchronous") Failover failover) {}
