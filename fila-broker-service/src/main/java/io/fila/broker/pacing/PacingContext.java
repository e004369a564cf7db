package io.fila.broker.pacing;

import io.fila.broker.clock.Timeline;
import io.fila.broker.message.LeaseReclaimer;
import io.fila.broker.message.Leases;
import io.fila.broker.message.MessageMeters;
import io.fila.broker.node.Node;
import org.springframework.stereotype.Component;

/** What every pacing loop works with. */
@Component
record PacingContext(
        Node node,
        Timeline timeline,
        RulesStore rules,
        Claims claims,
        BucketStore buckets,
        LaneStore lanes,
        Leases leases,
        LeaseReclaimer reclaimer,
        MessageMeters messageMeters,
        PacingMeters meters,
        NodeSignals nodes,
        DeliveryLogWriter deliveryLog,
        PacingProperties properties) {}
