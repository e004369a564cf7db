-- Makes delayed messages ready whose time has come.
-- Serving index: message_delayed. Locks: the messages, skipping those that another node is making ready. Writes: message.
with due as materialized (
    select queue_id, sequence
    from message
    where state = 1
      and available_at <= clock_timestamp()
    order by available_at
    limit ?
    for update skip locked
)
update message m
set state        = 0,
    available_at = null
from due
where m.queue_id = any (array[due.queue_id])
  and m.sequence = any (array[due.sequence])
returning m.queue_id, m.sequence, null::uuid as lease, m.lane
