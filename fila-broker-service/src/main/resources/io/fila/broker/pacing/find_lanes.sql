-- Finds the lanes of a queue that have ready messages, after a given lane, with the oldest message of each.
-- Serving index: message_ready: one probe for a lane, whatever it holds. Reads only.
with recursive found as (
    (
        select lane, sequence, fairness_key, weight, headers, attributes, 1 as position
        from message
        where queue_id = ?
          and state = 0
          and lane > ?
        order by lane, sequence
        limit 1
    )
    union all
    select next.*, f.position + 1
    from found f
    cross join lateral (
        select m.lane, m.sequence, m.fairness_key, m.weight, m.headers, m.attributes
        from message m
        where m.queue_id = ?
          and m.state = 0
          and m.lane > f.lane
        order by m.lane, m.sequence
        limit 1
    ) next
    where f.position < ?
)
select lane, sequence, fairness_key, weight, headers, attributes
from found
