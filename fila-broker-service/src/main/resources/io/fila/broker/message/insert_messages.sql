-- Stores the messages of one or more enqueues.
-- Serving index: message_id (conflicts). Locks: a key share on the queues' rows, so that a queue is not deleted under its
-- messages; those of ordered queues are locked by lock_ordered_queues before. Writes: message.
-- A message that its queue's script failed for is stored as unclassified, and tried again in a second, or at once if it has been tried as
-- often as it may be.
-- Answers with what was stored; a message that is missing from the answer was there before, or is a dead letter, or has no queue.
-- What became a dead letter since it began it does not know of: withdraw_dead_letters comes after it.
with present_queues as (
    select id, dead_letter_id, dead_letter_after
    from queue
    where id = any (?::bigint[])
    order by id
    for key share
),
incoming as (
    select *
    from unnest(?::uuid[], ?::bigint[], ?::uuid[], ?::timestamptz[], ?::bigint[], ?::integer[], ?::text[], ?::text[],
                ?::smallint[], ?::boolean[], ?::boolean[], ?::text[], ?::text[], ?::text[], ?::integer[], ?::bytea[])
         with ordinality
         as m (id, queue_id, lane, not_before, delay_ms, weight, fairness_key, headers, payload_kind, id_given, ordered, attributes,
               parking_reason, parking_error, script_tries, payload, position)
),
clock as materialized (
    select clock_timestamp() as now
),
timed as (
    select m.*,
           clock.now,
           coalesce(m.not_before, clock.now + m.delay_ms * interval '1 millisecond') as available_at,
           case when m.script_tries < q.dead_letter_after is false then clock.now else clock.now + interval '1 second' end as next_try
    from incoming m
    join present_queues q on q.id = m.queue_id
    cross join clock
    -- a scalar subquery, not exists: that may be hashed, which reads the whole table
    where not m.id_given
       or (select d.sequence from message d where d.id = m.id and d.queue_id + 0 = q.dead_letter_id limit 1) is null
)
insert into message (queue_id, id, lane, state, available_at, not_before, weight, fairness_key, headers, attributes, failures,
                     script_tries, payload_kind, ordered, payload)
select queue_id,
       id,
       lane,
       case
           when parking_reason is not null then 2
           when available_at > now then 1
           else 0
       end,
       case
           when parking_reason is not null then next_try
           when available_at > now then available_at
       end,
       case when available_at > now then available_at end,
       weight,
       fairness_key,
       headers::jsonb,
       attributes::jsonb,
       case
           when parking_reason is not null
               then jsonb_build_array(
                   jsonb_build_object('attempt', 0, 'reason', parking_reason, 'error', parking_error, 'consumer', null,
                                      'at', to_char(now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
               )
       end,
       script_tries,
       payload_kind,
       ordered,
       payload
from timed
order by position
on conflict (id, queue_id) where id is not null do nothing
returning id, queue_id, sequence, lane, state, available_at
