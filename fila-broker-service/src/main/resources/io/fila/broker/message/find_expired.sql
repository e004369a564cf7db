-- Finds leases that have expired, the oldest first.
-- Serving index: message_leased. Locks: the messages, skipping those that somebody else is settling or has found.
select queue_id, sequence, lease
from message
where state = 3
  and lease_until <= clock_timestamp()
order by lease_until
limit ?
for update skip locked
