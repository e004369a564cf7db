-- Gives locked messages back to their place without counting the attempt, at once or after a delay of their own. What holds them is
-- their buckets, which are closed in the same transaction.
-- Serving index: the primary key. Locks: none beyond those that the transaction holds. Writes: message.
update message m
set state        = case when r.delay_ms > 0 then 1 else 0 end,
    available_at = case when r.delay_ms > 0 then clock_timestamp() + r.delay_ms * interval '1 millisecond' end,
    lease        = null,
    lease_until  = null,
    attempts     = greatest(m.attempts - 1, 0)
from unnest(?::bigint[], ?::bigint[], ?::uuid[], ?::bigint[]) as r (queue_id, sequence, lease, delay_ms)
where m.queue_id = any (array[r.queue_id])
  and m.sequence = any (array[r.sequence])
  and m.lease = r.lease
returning r.queue_id, r.sequence, r.lease, m.lane, m.available_at
