-- Moves locked dead letters to the back of their queue, in the order given, as if they had just arrived there: with all attempts
-- before them, as a script has classified them now, and not before the moment that their enqueue gave. Their failures stay with them.
-- Serving index: message_pkey. Locks: none beyond those that the transaction holds. Writes: message. If the queue has come to hold one
-- of the ids since they were looked up, it fails on message_id.
with clock as materialized (
    select clock_timestamp() as now
),
placed as materialized (
    select q.to_id,
           q.from_id,
           clock.now,
           r.sequence,
           r.lane,
           r.ordered,
           r.fairness_key,
           r.weight,
           r.attributes,
           nextval(pg_get_serial_sequence('message', 'sequence')) as place
    from clock
    cross join unnest(?::bigint[], ?::uuid[], ?::boolean[], ?::text[], ?::integer[], ?::text[])
        as r (sequence, lane, ordered, fairness_key, weight, attributes)
    cross join (values (?::bigint, ?::bigint)) as q (to_id, from_id)
)
update message m
set queue_id         = p.to_id,
    sequence         = p.place,
    lane             = p.lane,
    ordered          = p.ordered,
    state            = case when m.not_before > p.now then 1 else 0 end,
    available_at     = case when m.not_before > p.now then m.not_before end,
    fairness_key     = p.fairness_key,
    weight           = p.weight,
    attributes       = p.attributes::jsonb,
    script_tries     = 0,
    attempts         = 0,
    redrives         = m.redrives + 1,
    dead_lettered_at = null
from placed p
where m.queue_id = any (array[p.from_id])
  and m.sequence = any (array[p.sequence])
returning m.lane, m.sequence, m.available_at
