-- Keeps the retention of throttles as it is until the transaction ends, leaving those that somebody is changing.
-- Serving index: throttle_pkey. Locks: throttle rows, shared.
select name
from throttle
where name = any (?)
order by name
for share skip locked
