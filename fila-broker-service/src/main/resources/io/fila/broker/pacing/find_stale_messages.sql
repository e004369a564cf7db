-- The oldest ready messages, each lane's from a sequence on, of lanes that were named by an older lane key; one lane after the other.
-- Serving index: message_ready. Locks: the messages, skipping those that somebody else has.
select stale.position, m.lane, m.sequence, m.fairness_key, m.weight, m.headers, m.attributes, m.sequence
from unnest(?::uuid[], ?::bigint[]) with ordinality as stale (lane, head, position)
cross join lateral (
    select r.lane, r.sequence, r.fairness_key, r.weight, r.headers, r.attributes
    from message r
    where r.queue_id + 0 = ?
      and r.lane = stale.lane
      and r.state = 0
      and r.sequence >= stale.head
    order by r.sequence
    limit ?
    for update skip locked
) m
limit ?
