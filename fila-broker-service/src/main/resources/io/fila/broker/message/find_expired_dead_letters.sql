-- Finds the queues whose oldest dead letter has been one for longer than they keep them.
-- Serving index: message_pkey, an entry for each queue that has a retention. Reads only.
select q.id, d.name
from queue q
join queue d on d.id = q.dead_letter_id
cross join lateral (
    select coalesce(m.dead_lettered_at, greatest(m.enqueued_at, q.dead_letters_timed_from)) as since
    from message m
    where m.queue_id = q.dead_letter_id
    order by m.sequence
    limit 1
) oldest
where q.dead_letter_retention_ms is not null
  and oldest.since < clock_timestamp() - q.dead_letter_retention_ms * interval '1 millisecond'
