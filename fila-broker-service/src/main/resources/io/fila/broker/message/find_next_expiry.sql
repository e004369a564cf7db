-- When the next lease expires, and in how many milliseconds. No row if nothing waits for that.
-- Serving index: message_leased: one probe. Reads only.
select lease_until, extract(epoch from lease_until - clock_timestamp()) * 1000
from message
where state = 3
order by lease_until
limit 1
