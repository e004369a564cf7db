-- The head of each given ordering group: its oldest message, whatever state it is in, unless an unclassified message came before it, which
-- may be of any group; the last column says so. A lane that is no ordering group is missing.
-- Serving index: message_ordered, from a sequence on before which the group is known to have nothing left: one probe for a group,
-- which passes no messages that are gone; message_set_aside for the oldest unclassified message. Reads only.
select m.lane, m.sequence, m.fairness_key, m.weight, m.headers, m.attributes, m.sequence, m.state = 0,
       m.sequence < coalesce(
           (
               select u.sequence
               from message u
               where u.queue_id + 0 = ?
                 and u.state = 2
               order by u.sequence
               limit 1
           ),
           9223372036854775807
       ) as is_head
from unnest(?::uuid[], ?::bigint[]) as g (lane, after)
cross join lateral (
    select h.lane, h.sequence, h.fairness_key, h.weight, h.headers, h.attributes, h.state
    from message h
    where h.queue_id + 0 = ?
      and h.lane = g.lane
      and h.ordered
      and h.sequence >= g.after
    order by h.sequence
    limit 1
) m
