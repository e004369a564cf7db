-- Takes the unclassified messages of a queue that come next after a sequence, whenever their next try is due: for half a minute nobody
-- else does.
-- Serving indexes: message_set_aside, then the primary key. Locks: the messages, skipping those that somebody else has. Writes: message.
with next as materialized (
    select queue_id, sequence
    from message
    where queue_id + 0 = ?
      and state = 2
      and sequence > ?
    order by sequence
    limit ?
    for update skip locked
)
update message m
set available_at = clock_timestamp() + interval '30 seconds'
from next
where m.queue_id = any (array[next.queue_id])
  and m.sequence = any (array[next.sequence])
returning m.queue_id, m.sequence, m.fairness_key, m.weight, m.headers, octet_length(m.payload), m.script_tries
