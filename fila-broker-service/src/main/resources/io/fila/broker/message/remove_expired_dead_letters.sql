-- Removes the oldest dead letters of a queue that have been there for longer than it keeps them: of the next so many, those that are
-- not leased. It reads the retention anew, so that a change of it takes effect. Answers with how many it removed and where to go
-- on: nowhere once it has met one that is young enough, or the end.
-- Serving index: message_pkey, no more entries than it may look at. Locks: the messages, skipping those that somebody else has.
-- Writes: message.
with bounds as (
    select ?::integer as most
),
kept as materialized (
    select dead_letter_id,
           dead_letters_timed_from,
           clock_timestamp() - dead_letter_retention_ms * interval '1 millisecond' as oldest_kept
    from queue
    where id = ?
      and dead_letter_retention_ms is not null
),
examined as materialized (
    select m.sequence,
           m.state,
           coalesce(m.dead_lettered_at, greatest(m.enqueued_at, k.dead_letters_timed_from)) < k.oldest_kept as is_expired
    from kept k
    cross join lateral (
        select d.sequence, d.state, d.dead_lettered_at, d.enqueued_at
        from message d
        where d.queue_id = k.dead_letter_id
          and d.sequence > ?
        order by d.sequence
        limit (select most from bounds)
    ) m
),
unlocked as materialized (
    select m.queue_id, m.sequence
    from message m
    where m.queue_id = (select dead_letter_id from kept)
      and m.sequence = any (array(select sequence from examined where is_expired and state <> 3))
      and m.state <> 3
    order by m.sequence
    for update skip locked
),
removed as (
    delete from message m
    using unlocked u
    where m.queue_id = any (array[u.queue_id])
      and m.sequence = any (array[u.sequence])
    returning m.sequence
)
select (select count(*) from removed) as removed,
       case when count(*) = (select most from bounds) and bool_and(is_expired) then max(sequence) end as next
from examined
