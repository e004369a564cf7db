-- Gives messages back to their place, without counting the attempt.
-- Serving index: the primary key. Locks and writes: the messages.
update message m
set state       = 0,
    lease       = null,
    lease_until = null,
    attempts    = greatest(m.attempts - 1, 0)
from unnest(?::bigint[], ?::bigint[], ?::uuid[]) as r (queue_id, sequence, lease)
where m.queue_id = any (array[r.queue_id])
  and m.sequence = any (array[r.sequence])
  and m.lease = r.lease
returning r.queue_id, r.sequence, r.lease, m.lane
