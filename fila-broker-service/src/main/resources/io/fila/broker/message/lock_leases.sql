-- Locks the messages of leases that are settled in several ways in one transaction, before any of them is, and reads what keys are
-- made of. A lease that is missing from the answer had been lost.
-- Serving index: the primary key. Locks: the messages, in the order of their names, waiting for those that somebody else settles:
-- an extension of the lease that is under way must not make it look lost.
select m.queue_id, m.sequence, m.lease, m.fairness_key, m.headers, m.attributes
from unnest(?::bigint[], ?::bigint[], ?::uuid[]) as r (queue_id, sequence, lease)
join message m on m.queue_id = any (array[r.queue_id]) and m.sequence = any (array[r.sequence]) and m.lease = r.lease
order by r.queue_id, r.sequence
for update of m
