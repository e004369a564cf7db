-- Makes leases last longer, from now.
-- Serving index: the primary key. Locks and writes: the messages.
update message m
set lease_until = clock_timestamp() + coalesce(e.by_ms, q.visibility_timeout_ms) * interval '1 millisecond'
from unnest(?::bigint[], ?::bigint[], ?::uuid[], ?::bigint[]) as e (queue_id, sequence, lease, by_ms)
join queue q on q.id = any (array[e.queue_id])
where m.queue_id = any (array[e.queue_id])
  and m.sequence = any (array[e.sequence])
  and m.lease = e.lease
returning e.queue_id, e.sequence, e.lease
