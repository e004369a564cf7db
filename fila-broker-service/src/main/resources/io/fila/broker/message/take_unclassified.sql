-- Takes unclassified messages whose next try is due, the longest due first: for half a minute nobody else does, and if whoever took them is
-- gone by then, somebody else will.
-- Serving indexes: message_unclassified, then the primary key. Locks: the messages, skipping those that somebody else has. Writes: message.
with due as materialized (
    select queue_id, sequence
    from message
    where state + 0 = 2
      and available_at <= clock_timestamp()
    order by available_at
    limit ?
    for update skip locked
)
update message m
set available_at = clock_timestamp() + interval '30 seconds'
from due
where m.queue_id = any (array[due.queue_id])
  and m.sequence = any (array[due.sequence])
returning m.queue_id, m.sequence, m.fairness_key, m.weight, m.headers, octet_length(m.payload), m.script_tries
