-- Gives back tokens whose messages provably never left the broker: they stop counting.
-- Serving indexes: bucket_pkey, delivery_pkey. Locks: bucket rows in id order, leaving those that somebody else holds: a return
-- that is lost only wastes allowance. Writes: bucket, delivery.
with locked_buckets as materialized (
    select id
    from bucket
    where id = any (?::uuid[])
    order by id
    for update skip locked
),
returned as materialized (
    select r.*
    from unnest(?::uuid[], ?::bigint[], ?::integer[], ?::timestamptz[]) as r (bucket_id, id, count, g)
    join locked_buckets l on l.id = r.bucket_id
    join delivery d on d.bucket_id = any (array[r.bucket_id]) and d.until >= r.g and d.id = r.id
),
lowered as (
    update bucket b
    set cum = b.cum - r.count
    from returned r
    where b.id = any (array[r.bucket_id])
)
update delivery d
set count = case when d.id = r.id then d.count - r.count else d.count end,
    cum   = d.cum - r.count
from returned r
where d.bucket_id = any (array[r.bucket_id])
  and d.until >= r.g
  and d.id >= r.id
