package io.fila.broker.pacing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.pacing.Claimed.Leased;
import io.fila.broker.throttle.Bucket;

/**
 * The records of one claim whose messages have not all left yet. A claim may be sent in several departures, on several threads,
 * in any order: a record's bound must be that of its last message, wherever that was. Only ever touched by its loop.
 */
final class OpenRecords {

    private final Map<UUID, Open> byBucket = new HashMap<>();

    OpenRecords(Collection<Grant> grants) {
        grants.forEach(grant -> byBucket.put(grant.bucket(), new Open(grant)));
    }

    private static final class Open {
        private final Grant grant;
        private int left;
        private int unsent;
        private long by = Long.MIN_VALUE;

        Open(Grant grant) {
            this.grant = grant;
            this.left = grant.count();
        }
    }

    /**
     * A record all of whose messages were sent or are given back.
     *
     * @param by when the last of them was sent, by this node's clock
     * @param unsent how many of its tokens were not used
     */
    record Complete(Grant grant, long by, int unsent) {}

    /**
     * Messages of the claim have left by then, but for the {@code unsent} ones among them, which are given back.
     *
     * @return the records that are complete with that
     */
    List<Complete> departed(Collection<Leased> leased, Collection<Leased> unsent, long by) {
        for (Leased message : unsent) {
            for (Bucket bucket : message.buckets()) {
                Open open = byBucket.get(bucket.id());
                if (open != null) {
                    open.unsent++;
                }
            }
        }
        List<Complete> complete = new ArrayList<>();
        for (Leased message : leased) {
            for (Bucket bucket : message.buckets()) {
                Open open = byBucket.get(bucket.id());
                if (open != null) {
                    open.by = Math.max(open.by, by);
                    open.left--;
                    if (open.left == 0) {
                        byBucket.remove(bucket.id());
                        complete.add(new Complete(open.grant, open.by, open.unsent));
                    }
                }
            }
        }
        return complete;
    }
}
