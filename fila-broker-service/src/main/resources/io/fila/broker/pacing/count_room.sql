-- Counts the room of buckets at the moment g, over every limit in force, and when the next room comes.
-- To be run after the buckets were locked, in a statement of its own: what it reads must be newer than the locks.
-- Serving indexes: bucket_pkey, delivery_pkey: one probe for a limit, whatever its window holds. Reads only.
with grant_time as materialized (
    select greatest(clock_timestamp(), max(last_grant)) as g
    from bucket
    where id = any (?::uuid[])
)
select b.id,
       grant_time.g,
       case when b.closed_until > grant_time.g then 0 else greatest(limited.room, 0) end as room,
       extract(epoch from greatest(limited.room_at, b.closed_until) - grant_time.g) * 1000000 as room_in_us,
       limited.most
from grant_time
cross join bucket b
join throttle t on t.name = b.throttle
cross join lateral (
    select min(l.count - (b.cum - outside.cum)) as room,
           min(l.count) as most,
           max(
               case
                   when l.count <= b.cum - outside.cum then
                       (
                           select d.until
                           from delivery d
                           where d.bucket_id = b.id
                             and d.until > grant_time.g - l.window_ms * interval '1 millisecond'
                             and d.cum > b.cum - l.count
                           order by d.until, d.id
                           limit 1
                       ) + l.window_ms * interval '1 millisecond'
               end
           ) as room_at
    from unnest(t.limit_counts, t.limit_windows_ms) as l (count, window_ms)
    cross join lateral (
        select coalesce(
                   (
                       select d.cum
                       from delivery d
                       where d.bucket_id = b.id
                         and d.until <= grant_time.g - l.window_ms * interval '1 millisecond'
                       order by d.until desc, d.id desc
                       limit 1
                   ),
                   (
                       select d.cum - d.count
                       from delivery d
                       where d.bucket_id = b.id
                       order by d.until, d.id
                       limit 1
                   ),
                   b.cum
               ) as cum
    ) outside
) limited
where b.id = any (?::uuid[])
