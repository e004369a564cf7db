-- Locks the buckets of a claim, in id order (I6), leaving those that somebody else holds.
-- Serving index: bucket_pkey. Locks: bucket rows.
select id
from bucket
where id = any (?::uuid[])
order by id
for update skip locked
