-- The oldest messages of a dead letter queue that may be moved, among the next so many and up to a limit: those that are ready, and of
-- each whether the queue it would go to holds its id again. Each row also tells up to where it has looked; one row without a
-- message if there was none to move, and without that either if there were no more.
-- Serving indexes: message_pkey, no more entries than it may look at; message_id, by the id alone. The
-- sums keep the planner from other indexes (V012). Locks: the messages, skipping those that somebody else has. Writes: none.
with bounds as (
    select ?::integer as most
),
examined as materialized (
    select sequence, state
    from message
    where queue_id = ?
      and sequence > ?
      and sequence <= ?
    order by sequence
    limit ?
),
candidate as materialized (
    select e.sequence
    from examined e
    where e.state = 0
    order by e.sequence
    limit (select most from bounds)
)
select seen.last, m.sequence, m.is_taken, m.fairness_key, m.headers, m.attributes, m.weight, m.payload_size, m.is_unclassified
from (
    select case
               when (select count(*) from candidate) = b.most then (select max(sequence) from candidate)
               else (select max(sequence) from examined)
           end as last
    from bounds b
) seen
left join lateral (
    select d.sequence,
           (select t.sequence from message t where t.id = d.id and t.queue_id + 0 = ? limit 1) is not null as is_taken,
           d.fairness_key,
           d.headers,
           d.attributes,
           d.weight,
           octet_length(d.payload) as payload_size,
           d.script_tries > 0 as is_unclassified
    from message d
    where d.queue_id = ?
      and d.sequence = any (array(select sequence from candidate))
      and d.state + 0 = 0
    order by d.sequence
    for update skip locked
) m on true
order by m.sequence
