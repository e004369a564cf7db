-- Ends attempts that failed: back to the queue after a delay, or to the dead letter queue when they were the last. While that
-- holds another message of the same id, they are not: ids are unique in a queue, and nothing may be lost.
-- What a script decided is final: so many attempts are as many as it wants.
-- The delay is that of the consumer or the script, or the queue's back-off: initial * multiplier^(failed attempts - 1), at most max, then moved by up
-- to jitter of itself in either direction.
-- Serving index: the primary key. Locks: the messages, in the order of their names, waiting for those that somebody else settles:
-- an extension of the lease that is under way must not make it look lost. Writes: message.
-- Answers with where each message is now, and with the ordering group that it left, whose next may go; a lease that
-- is missing from the answer had been lost.
with failed as materialized (
    select m.queue_id,
           m.sequence,
           m.lease,
           m.lane,
           m.ordered,
           q.dead_letter_id,
           q.dead_letter_id is not null
               and (f.dead_letter or m.attempts >= q.max_attempts and not f.retried)
               and (select d.sequence from message d where d.id = m.id and d.queue_id + 0 = q.dead_letter_id limit 1) is null
               as is_dead,
           coalesce(
               f.delay_ms,
               least(q.initial_backoff_ms * power(q.backoff_multiplier, least(greatest(m.attempts - 1, 0), 60)), q.max_backoff_ms)
                   * (1 + q.backoff_jitter * (2 * random() - 1))
           ) as delay_ms,
           jsonb_path_query_array(coalesce(m.failures, '[]'), '$[last - 8 to last]')
               || jsonb_build_object('attempt', m.attempts, 'reason', f.reason, 'error', f.error, 'consumer', f.consumer,
                                     'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
               as failures
    from unnest(?::bigint[], ?::bigint[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::boolean[],
                ?::boolean[])
         as f (queue_id, sequence, lease, consumer, reason, error, delay_ms, dead_letter, retried)
    join message m on m.queue_id = any (array[f.queue_id]) and m.sequence = any (array[f.sequence]) and m.lease = f.lease
    join queue q on q.id = any (array[m.queue_id])
    order by f.queue_id, f.sequence
    for update of m
)
update message m
set queue_id     = case when f.is_dead then f.dead_letter_id else m.queue_id end,
    sequence     = case when f.is_dead then nextval(pg_get_serial_sequence('message', 'sequence')) else m.sequence end,
    state        = case when f.is_dead then 0 else 1 end,
    available_at = case when not f.is_dead then clock_timestamp() + f.delay_ms * interval '1 millisecond' end,
    lease        = null,
    lease_until  = null,
    failures     = f.failures,
    -- a dead letter is in nobody's order
    ordered      = m.ordered and not f.is_dead,
    dead_lettered_at = case when f.is_dead then clock_timestamp() else m.dead_lettered_at end
from failed f
where m.queue_id = any (array[f.queue_id])
  and m.sequence = any (array[f.sequence])
returning f.queue_id as from_queue_id, f.sequence as from_sequence, f.lease, f.is_dead, m.queue_id, m.sequence, m.lane, m.available_at,
          case when f.ordered and f.is_dead then f.lane end as left_group
