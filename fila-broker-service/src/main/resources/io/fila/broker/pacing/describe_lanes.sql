-- The oldest ready message of each given lane.
-- Serving index: message_ready: one probe for a lane. Reads only.
select m.lane, m.sequence, m.fairness_key, m.weight, m.headers, m.attributes
from unnest(?::uuid[]) as l (lane)
cross join lateral (
    select r.lane, r.sequence, r.fairness_key, r.weight, r.headers, r.attributes
    from message r
    where r.queue_id = ?
      and r.lane = l.lane
      and r.state = 0
    order by r.sequence
    limit 1
) m
