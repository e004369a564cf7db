-- Counts the room of buckets over every limit in force, each at a moment g of its own: now; or, if the claim runs ahead, the moment
-- at which it expects room, but no further ahead than it says. Never less than an earlier g of the bucket.
-- Says when there is room for as many as are needed, and whether that is final: it is not while it goes by a bound that may yet be
-- settled.
-- Windows that reach back to where a failover (V007) or a crash (V010) may have lost records have no room.
-- To be run after the buckets were locked, in a statement of its own: what it reads must be newer than the locks.
-- Serving indexes: bucket_pkey, delivery_pkey: one probe for a limit, whatever its window holds. Reads only.
with moment as materialized (
    select clock_timestamp() as now, ?::integer as needed
),
asked as materialized (
    select b.id,
           b.cum,
           greatest(b.closed_until, t.incomplete_until) as closed_until,
           t.limit_counts,
           t.limit_windows_ms,
           moment.now,
           moment.needed,
           greatest(
               moment.now,
               b.last_grant,
               case when a.expected is not null then least(a.expected, moment.now + ? * interval '1 microsecond') end
           ) as g
    from moment
    cross join unnest(?::uuid[], ?::timestamptz[]) as a (id, expected)
    -- not a join, which might begin with all buckets
    cross join lateral (
        select o.id, o.throttle, o.cum, o.last_grant, o.closed_until
        from bucket o
        where o.id = a.id
        offset 0
    ) b
    join counted_throttle t on t.name = b.throttle
)
select b.id,
       b.g,
       case when b.closed_until > b.g then 0 else greatest(limited.room, 0) end as room,
       greatest(limited.held_until + limited.held_for, b.closed_until) as room_at,
       coalesce(limited.held_until <= b.now + interval '5 milliseconds', true) as final
from asked b
cross join lateral (
    select min(used.count - used.used) over () as room,
           held.until as held_until,
           used.window_length as held_for
    from (
        select l.count,
               l.window_ms * interval '1 millisecond' as window_length,
               b.cum - coalesce(
                   (
                       select d.cum
                       from delivery d
                       where d.bucket_id = b.id
                         and d.until <= b.g - l.window_ms * interval '1 millisecond'
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
               ) as used
        from unnest(b.limit_counts, b.limit_windows_ms) as l (count, window_ms)
    ) used
    left join lateral (
        select d.until
        from delivery d
        where used.count < used.used + b.needed
          and d.bucket_id = b.id
          and d.until > b.g - used.window_length
          and d.cum >= b.cum - used.count + b.needed
        order by d.until, d.id
        limit 1
    ) held on true
    order by held.until + used.window_length desc nulls last
    limit 1
) limited
