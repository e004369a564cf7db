-- Makes arrivals in ordered queues take turns until the transaction ends: sequences are drawn afterwards, so that they are committed
-- in their order. Whoever sees a message then sees all that came before it, and the oldest of a group is its oldest for ever.
-- Serving index: the primary key. Locks: the queues' rows, in the order of their ids, waiting; a share of their keys, which others'
-- enqueues and subscriptions take, is not in the way; a change of the queue's settings or throttles waits. Writes: none.
select id
from queue
where id = any (?::bigint[])
  and ordering_key is not null
order by id
for no key update
