-- One index for each question. A statement that is planned while a table holds next to nothing costs the same by any index that
-- could serve it, so the planner takes any of them, and goes by it when the table is full again: claims that read the whole queue by
-- its primary key, acknowledgements that read it by message_id, skipping over the ids. So each index is made such that only those
-- can use it who mean it:
-- - what goes by state or by ordering group names the queue as queue_id + 0, which the primary key does not serve;
-- - what goes by an index that begins with another column than the table's key finds it partial: "is not null" follows from a
--   comparison with that column, and from nothing else.
-- For the same reason statements find the rows that they change by "= any (array[...])" rather than "=": a plan cannot then begin with all
-- rows of the table in the order of an index, and compare each with those that were asked for.
-- queue_id is included where statements read the index without the table.
-- The indexes are built by reading the table, which locks out writes to messages for as long: a few seconds for each million.

drop index message_id;
create unique index message_id on message (id, queue_id) where id is not null;

drop index message_ready;
create index message_ready on message ((queue_id + 0), lane, sequence) include (queue_id) where state = 0;

drop index message_ordered;
create index message_ordered on message ((queue_id + 0), lane, sequence) where ordered;

drop index message_set_aside;
create index message_set_aside on message ((queue_id + 0), state, sequence) include (queue_id) where state in (1, 2);

drop index bucket_of_throttle;
create index bucket_of_throttle on bucket (throttle, id) where throttle is not null;
