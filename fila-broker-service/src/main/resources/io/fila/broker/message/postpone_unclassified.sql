-- Keeps messages unclassified that their queue's script failed for again, until the next try: after 1 s, and each time twice as long,
-- at most 1 min, moved by up to a tenth in either direction; after 1 min if it was not run, since it keeps timing out. After as many
-- failed tries as the queue allows it moves them to the dead letter queue, unless that holds another message of the same id: ids are
-- unique in a queue, and nothing may be lost. Without an error, nothing was tried: it has been tried as often as it may be.
-- Serving index: the primary key, and no other, as the state is written (V012). Locks: the messages, in the order of their names.
-- Writes: message. Answers with where each message is now.
with failed as materialized (
    select m.queue_id,
           m.sequence,
           q.dead_letter_id,
           f.tries > 0 as is_tried,
           m.script_tries + f.tries as script_tries,
           (m.script_tries + f.tries >= q.dead_letter_after) is true
               and (select d.sequence from message d where d.id = m.id and d.queue_id + 0 = q.dead_letter_id limit 1) is null
               as is_dead,
           case
               when f.error is null then m.failures
               else jsonb_path_query_array(coalesce(m.failures, '[]'), '$[last - 8 to last]')
                   || jsonb_build_object('attempt', m.attempts, 'reason', f.reason, 'error', f.error, 'consumer', null,
                                         'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
           end as failures
    from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::integer[]) as f (queue_id, sequence, reason, error, tries)
    join message m on m.queue_id = any (array[f.queue_id]) and m.sequence = any (array[f.sequence]) and m.state - 2 = 0
    join queue q on q.id = any (array[m.queue_id])
    order by f.queue_id, f.sequence
    for update of m
)
update message m
set queue_id     = case when f.is_dead then f.dead_letter_id else m.queue_id end,
    sequence     = case when f.is_dead then nextval(pg_get_serial_sequence('message', 'sequence')) else m.sequence end,
    state        = case when f.is_dead then 0 else 2 end,
    available_at = case
                       when not f.is_dead
                           then clock_timestamp()
                                + case when f.is_tried then least(power(2, least(greatest(f.script_tries - 1, 0), 10)), 60) else 60 end
                                * (0.9 + 0.2 * random()) * interval '1 second'
                   end,
    script_tries = f.script_tries,
    failures     = f.failures,
    dead_lettered_at = case when f.is_dead then clock_timestamp() else m.dead_lettered_at end
from failed f
where m.queue_id = any (array[f.queue_id])
  and m.sequence = any (array[f.sequence])
returning m.queue_id, m.sequence, m.lane, m.available_at, f.is_dead
