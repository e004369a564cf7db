-- Counts the ready messages of a queue by lane, with the oldest of each.
-- Serving index: message_ready, read without the table: an entry for each ready message of the queue. Reads only.
select lane, count(*), min(sequence)
from message
where queue_id + 0 = ?
  and state = 0
group by lane
