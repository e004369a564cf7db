-- When the next try of an unclassified message is due, and in how many milliseconds that is. No row if there is none.
-- Serving index: message_unclassified, its first entry. Reads only.
select available_at, extract(epoch from available_at - clock_timestamp()) * 1000
from message
where state + 0 = 2
  and available_at is not null
order by available_at
limit 1
