-- Moves messages to the lanes that the present lane key gives them.
-- Serving index: the primary key. Locks: none beyond those the transaction holds. Writes: message.
update message m
set lane = n.lane
from unnest(?::bigint[], ?::uuid[]) as n (sequence, lane)
where m.queue_id = ?
  and m.sequence = n.sequence
