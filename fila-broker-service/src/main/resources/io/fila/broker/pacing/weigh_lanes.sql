-- The weight of the latest ready message of each given lane.
-- Serving index: message_ready, from its other end: one probe for a lane. Reads only.
select m.lane, m.weight, m.sequence
from unnest(?::uuid[]) as l (lane)
cross join lateral (
    select r.lane, r.weight, r.sequence
    from message r
    where r.queue_id + 0 = ?
      and r.lane = l.lane
      and r.state = 0
    order by r.sequence desc
    limit 1
) m
