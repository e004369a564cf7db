-- Counts what a dead letter queue holds, by state: all of it, as it is at one moment.
-- Serving indexes: message_ready and message_set_aside, an entry for each message of the queue; message_leased, an entry for each
-- message that is leased, of whatever queue: what is in flight, which credit bounds. The table is needed only where it was written
-- since it was vacuumed. Reads only.
select (select count(*) from message m where m.queue_id + 0 = ? and m.state = 0) as ready,
       aside.delayed,
       aside.unclassified,
       (select count(*) filter (where m.queue_id = ?) from message m where m.state = 3) as leased
from (
    select count(*) filter (where m.state = 1) as delayed,
           count(*) filter (where m.state = 2) as unclassified
    from message m
    where m.queue_id + 0 = ?
      and m.state in (1, 2)
) aside
