-- A page of a queue's messages in order of arrival: of those of a state (any below 0) among the next so many, up to a limit and a
-- sum of payload lengths, which are known without reading the payloads. It looks at no more than that however few are of the state.
-- Each row also tells how many were looked at, the sequence of the last of them, and how many of the state there were among them;
-- one row without a message if there was none. Serving index: message_pkey. Locks: none. Writes: none.
with examined as materialized (
    select sequence, state
    from message
    where queue_id = ?
      and sequence > ?
    order by sequence
    limit ?
),
candidate as materialized (
    select e.sequence
    from examined e
    cross join (select ?::integer as state) wanted
    where wanted.state < 0
       or e.state = wanted.state
    order by e.sequence
    limit ?
),
page as (
    select m.*,
           row_number() over (order by m.sequence) as position,
           sum(octet_length(m.payload)) over (order by m.sequence) as bytes
    from message m
    where m.queue_id = ?
      and m.sequence = any (array(select sequence from candidate))
)
select p.sequence, p.id, q.name, p.state, p.payload_kind, p.payload, p.headers, p.fairness_key, p.weight,
       p.attributes, p.attempts, p.redrives, p.enqueued_at, p.available_at, p.lease_until, p.failures,
       p.dead_lettered_at, seen.examined, seen.last, seen.candidates
from (
    select (select count(*) from examined) as examined,
           (select max(sequence) from examined) as last,
           (select count(*) from candidate) as candidates
) seen
left join page p on p.position = 1
                 or p.bytes <= ?
left join queue q on q.id = p.queue_id
order by p.sequence
