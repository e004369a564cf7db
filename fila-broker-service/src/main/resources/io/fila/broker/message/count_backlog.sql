-- Counts what waits in a queue, each part of it up to a bound.
-- Serving indexes: message_ready and message_set_aside, an entry for each message that waits. Reads only.
select (select count(*) from (select 1 from message where queue_id + 0 = ? and state = 0 limit ?) as ready)
           + (select count(*) from (select 1 from message where queue_id + 0 = ? and state in (1, 2) limit ?) as set_aside)
