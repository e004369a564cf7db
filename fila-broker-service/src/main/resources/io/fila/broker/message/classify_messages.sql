-- Makes unclassified messages what their queue's script says they are: ready, in their place, or delayed if their enqueue asked for
-- that. A message that is missing from the answer is not there any more, or has been classified meanwhile.
-- Serving index: the primary key, and no other, as the state is written (V012). Locks and writes: the messages.
with classified as materialized (
    select c.*, clock.now
    from unnest(?::bigint[], ?::bigint[], ?::uuid[], ?::boolean[], ?::text[], ?::integer[], ?::text[])
         as c (queue_id, sequence, lane, ordered, fairness_key, weight, attributes)
    cross join (select clock_timestamp() as now offset 0) clock
)
update message m
set state        = case when m.not_before > c.now then 1 else 0 end,
    available_at = case when m.not_before > c.now then m.not_before end,
    lane         = c.lane,
    ordered      = c.ordered,
    fairness_key = c.fairness_key,
    weight       = c.weight,
    attributes   = c.attributes::jsonb,
    script_tries = 0
from classified c
where m.queue_id = any (array[c.queue_id])
  and m.sequence = any (array[c.sequence])
  and m.state - 2 = 0
returning m.queue_id, m.sequence, m.lane, m.available_at
