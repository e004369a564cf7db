-- When the next delayed message becomes ready, and in how many milliseconds. No row if nothing waits for that.
-- Serving index: message_delayed: one probe. Reads only.
select available_at, extract(epoch from available_at - clock_timestamp()) * 1000
from message
where state = 1
order by available_at
limit 1
