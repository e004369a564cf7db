-- Keeps a queue from being deleted until messages have been moved to it, and reads what names its lanes. No row if there is no such
-- queue any more.
-- Serving index: queue_pkey. Locks: the queue's row, shared with enqueues; an ordered queue is locked by lock_ordered_queues before.
-- Writes: none.
select lane_key
from queue
where id = ?
for key share
