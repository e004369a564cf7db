-- The oldest ready messages, from a sequence on, of a lane that was named by an older lane key.
-- Serving index: message_ready. Locks: the messages, skipping those that somebody else has.
select lane, sequence, fairness_key, weight, headers, attributes
from message
where queue_id = ?
  and lane = ?
  and state = 0
  and sequence >= ?
order by sequence
limit ?
for update skip locked
