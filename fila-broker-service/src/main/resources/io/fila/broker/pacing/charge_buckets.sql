-- Counts the deliveries of a claim in their buckets, each with the bound by which it will have been sent.
-- Serving indexes: bucket_pkey, delivery_pkey. Locks: none beyond those the claim holds. Writes: bucket, delivery.
with charged as (
    update bucket b
    set cum        = b.cum + c.count,
        last_grant = greatest(b.last_grant, c.g)
    from unnest(?::uuid[], ?::integer[], ?::timestamptz[]) as c (id, count, g)
    where b.id = any (array[c.id])
    returning b.id, b.cum, c.count, c.g
)
insert into delivery (bucket_id, until, count, cum)
select c.id,
       greatest(
           c.g + ? * interval '1 microsecond',
           (
               select d.until
               from delivery d
               where d.bucket_id = c.id
               order by d.until desc, d.id desc
               limit 1
           )
       ),
       c.count,
       c.cum
from charged c
returning bucket_id, until, id, count
