-- Reads what keys are made of from the given messages of a queue.
-- Serving index: the primary key: one probe for a message. Reads only.
select sequence, fairness_key, headers, attributes, enqueued_at
from message
where queue_id = ?
  and sequence = any (?::bigint[])
