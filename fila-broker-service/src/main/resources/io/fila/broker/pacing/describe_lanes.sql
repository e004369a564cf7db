-- The oldest ready message of each given lane, with the weight of the latest.
-- Serving index: message_ready: one probe for a lane from either end. Reads only.
select m.lane, m.sequence, m.fairness_key, latest.weight, m.headers, m.attributes, latest.sequence
from unnest(?::uuid[]) as l (lane)
cross join lateral (
    select r.lane, r.sequence, r.fairness_key, r.headers, r.attributes
    from message r
    where r.queue_id + 0 = ?
      and r.lane = l.lane
      and r.state = 0
    order by r.sequence
    limit 1
) m
cross join lateral (
    select r.weight, r.sequence
    from message r
    where r.queue_id + 0 = ?
      and r.lane = l.lane
      and r.state = 0
    order by r.sequence desc
    limit 1
) latest
