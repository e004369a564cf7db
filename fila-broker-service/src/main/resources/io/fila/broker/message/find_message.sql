-- One message by its id, wherever it is; if several queues hold the id, a dead letter only if nothing else does.
-- Serving indexes: message_id, queue_pkey. Reads only.
select m.sequence, m.id, q.name, m.state, m.payload_kind, m.payload, m.headers, m.fairness_key, m.weight,
       m.attributes, m.attempts, m.redrives, m.enqueued_at, m.available_at, m.lease_until, m.failures,
       m.dead_lettered_at
from message m
join queue q on q.id = any (array[m.queue_id])
where m.id = ?
order by q.dead_letter_id is null
limit 1
