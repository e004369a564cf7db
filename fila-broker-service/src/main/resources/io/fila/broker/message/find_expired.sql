-- Finds leases that have expired, the oldest first, and of each whether its queue has a script for that.
-- Serving index: message_leased. Locks: the messages, skipping those that somebody else is settling or has found.
select queue_id, sequence, lease, (select q.on_failure from queue q where q.id = m.queue_id) is not null as has_script
from message m
where state = 3
  and lease_until <= clock_timestamp()
order by lease_until
limit ?
for update skip locked
