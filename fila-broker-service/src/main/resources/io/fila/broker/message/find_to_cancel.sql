-- The messages of an id, in a queue or in all of them; locked, so that what is decided is still so when one is removed.
-- Serving index: message_id. Locks: the messages, in the order of their names. Writes: none.
select m.queue_id, m.sequence, m.state, (select q.name from queue q where q.id = m.queue_id)
from message m
where m.id = ?
  and (?::bigint is null or m.queue_id + 0 = ?)
order by m.queue_id + 0
for update
