package io.fila.history;

import java.time.Instant;
import java.util.List;

/** What counts in buckets, as a broker node logged it. */
public sealed interface Counted permits DeliveredMessage, GrantedPermits {

    /** Not earlier than this it was handed over. */
    Instant from();

    /** Not later than this it was handed over. */
    Instant to();

    /** The broker node. */
    String node();

    /** How much it counts in each of its buckets, all of it at once. */
    int count();

    /** Every bucket it was counted in. */
    List<BucketName> buckets();
}
