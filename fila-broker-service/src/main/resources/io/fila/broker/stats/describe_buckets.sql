-- The deliveries of buckets that count against each limit at a moment, by default the present, and when there is room again.
-- Counts as a claim does (pacing/count_room.sql).
-- Serving indexes: bucket_pkey, delivery_pkey: one probe for a limit of a bucket, and one more if it is used up. Reads only.
with moment as materialized (
    select coalesce(?::timestamptz, clock_timestamp()) as now
)
select b.id,
       b.key_values,
       t.limit_counts,
       t.limit_windows_ms,
       counted.used,
       case
           when counted.used_up or closed.until > moment.now then greatest(counted.room_at, closed.until)
       end as room_at,
       case when closed.until > moment.now then closed.until end as closed_until
from moment
cross join unnest(?::uuid[]) as a (id)
-- not a join, which might begin with all buckets
cross join lateral (
    select o.id, o.throttle, o.key_values, o.cum, o.closed_until
    from bucket o
    where o.id = a.id
    offset 0
) b
join counted_throttle t on t.name = b.throttle
cross join lateral (
    select greatest(b.closed_until, t.incomplete_until) as until
) closed
cross join lateral (
    select array_agg(b.cum - outside.cum order by l.position) as used,
           bool_or(b.cum - outside.cum >= l.count) as used_up,
           max(
               case
                   when b.cum - outside.cum >= l.count then
                       (
                           select d.until
                           from delivery d
                           where d.bucket_id = b.id
                             and d.until > moment.now - l.window_ms * interval '1 millisecond'
                             and d.cum > b.cum - l.count
                           order by d.until, d.id
                           limit 1
                       ) + l.window_ms * interval '1 millisecond'
               end
           ) as room_at
    from unnest(t.limit_counts, t.limit_windows_ms) with ordinality as l (count, window_ms, position)
    cross join lateral (
        select coalesce(
                   (
                       select d.cum
                       from delivery d
                       where d.bucket_id = b.id
                         and d.until <= moment.now - l.window_ms * interval '1 millisecond'
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
) counted
