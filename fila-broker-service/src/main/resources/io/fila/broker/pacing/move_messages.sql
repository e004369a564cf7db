-- Moves messages to the lanes that the present lane key gives them.
-- Serving index: the primary key. Locks: none beyond those the transaction holds. Writes: message.
with named as materialized (
    select q.id as queue_id, n.sequence, n.lane
    from unnest(?::bigint[], ?::uuid[]) as n (sequence, lane)
    cross join (values (?::bigint)) as q (id)
)
update message m
set lane = n.lane
from named n
where m.queue_id = any (array[n.queue_id])
  and m.sequence = any (array[n.sequence])
