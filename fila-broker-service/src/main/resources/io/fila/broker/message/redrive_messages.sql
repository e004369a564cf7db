-- Moves locked dead letters to the back of their queue, in the order given, as if they had just arrived there: with all attempts
-- before them, and not before the moment that their enqueue gave. Their failures stay with them.
-- Serving index: message_pkey. Locks: none beyond those that the transaction holds. Writes: message. If the queue has come to hold one
-- of the ids since they were looked up, it fails on message_id.
with placed as materialized (
    select r.sequence, r.lane, r.ordered, nextval(pg_get_serial_sequence('message', 'sequence')) as place
    from unnest(?::bigint[], ?::uuid[], ?::boolean[]) as r (sequence, lane, ordered)
),
clock as materialized (
    select clock_timestamp() as now
)
update message m
set queue_id         = ?,
    sequence         = p.place,
    lane             = p.lane,
    ordered          = p.ordered,
    state            = case when m.not_before > c.now then 1 else 0 end,
    available_at     = case when m.not_before > c.now then m.not_before end,
    attempts         = 0,
    redrives         = m.redrives + 1,
    dead_lettered_at = null
from placed p
cross join clock c
where m.queue_id = ?
  and m.sequence = p.sequence
returning m.lane, m.sequence, m.available_at
