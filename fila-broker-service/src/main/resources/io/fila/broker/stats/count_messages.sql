-- Counts what a queue holds by state, except for what is ready. No row if there is no such queue.
-- Serving indexes: message_set_aside, an entry for each delayed and unclassified message of the queue; the primary key, an entry
-- for each message of its dead letter queue; message_leased, an entry for each message that is leased, of whatever queue: what
-- is in flight, which credit bounds. Reads only.
select q.id,
       aside.delayed,
       aside.unclassified,
       (select count(*) filter (where m.queue_id = q.id) from message m where m.state = 3) as leased,
       (select count(*) from message m where m.queue_id = q.dead_letter_id) as dead_lettered,
       (
           select m.enqueued_at
           from message m
           where m.queue_id + 0 = q.id
             and m.state = 2
           order by m.sequence
           limit 1
       ) as oldest_unclassified_at,
       (select count(*) from subscription s where s.queue_id = q.id) as subscribers
from queue q
cross join lateral (
    select count(*) filter (where m.state = 1) as delayed,
           count(*) filter (where m.state = 2) as unclassified
    from message m
    where m.queue_id + 0 = q.id
      and m.state in (1, 2)
) aside
where q.name = ?
