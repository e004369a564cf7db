-- What a script is told of messages whose attempts failed. A lease that is missing from the answer had been lost.
-- Serving index: the primary key. Reads only.
select m.queue_id, m.sequence, m.lease, m.id, m.headers, m.attempts, m.redrives
from unnest(?::bigint[], ?::bigint[], ?::uuid[]) as r (queue_id, sequence, lease)
join message m on m.queue_id = any (array[r.queue_id]) and m.sequence = any (array[r.sequence]) and m.lease = r.lease
