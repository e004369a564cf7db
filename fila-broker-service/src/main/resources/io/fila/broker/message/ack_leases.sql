-- Removes messages that are done. Answers with the lane of those that were the heads of ordering groups: the next may go.
-- Serving index: the primary key. Locks and writes: the messages.
delete from message m
using unnest(?::bigint[], ?::bigint[], ?::uuid[]) as a (queue_id, sequence, lease)
where m.queue_id = any (array[a.queue_id])
  and m.sequence = any (array[a.sequence])
  and m.lease = a.lease
returning a.queue_id, a.sequence, a.lease, case when m.ordered then m.lane end
