-- Counts what waits in a queue, each part of it up to a bound, and what is leased of it, which may come back.
-- Serving indexes: message_ready and message_set_aside, an entry for each message that waits; message_leased, an entry for each
-- message that is leased, of whatever queue: what is in flight, which credit bounds. Reads only.
select (select count(*) from (select 1 from message where queue_id = ? and state = 0 limit ?) as ready)
           + (select count(*) from (select 1 from message where queue_id = ? and state in (1, 2) limit ?) as set_aside) as waiting,
       (select count(*) filter (where queue_id = ?) from message where state = 3) as leased
