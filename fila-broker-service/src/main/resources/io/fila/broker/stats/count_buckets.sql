-- Counts the buckets of a throttle that have deliveries in its longest window, and names those without room.
-- Serving indexes: bucket_of_throttle, an entry for each bucket of the throttle, of which there are as many as keys in recent
-- use; delivery_pkey, one probe for a limit of a bucket. Reads only.
with moment as materialized (
    select clock_timestamp() as now
),
buckets as (
    select b.id,
           exists (
               select 1
               from delivery d
               where d.bucket_id = b.id
                 and d.until > moment.now
                     - (select max(w) from unnest(t.limit_windows_ms) as w) * interval '1 millisecond'
           ) as active,
           greatest(b.closed_until, t.incomplete_until) > moment.now or exists (
               select 1
               from unnest(t.limit_counts, t.limit_windows_ms) as l (count, window_ms)
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
               where b.cum - outside.cum >= l.count
           ) as without_room
    from moment
    cross join counted_throttle t
    join bucket b on b.throttle = t.name
    where t.name = ?
)
select moment.now,
       (select count(*) from buckets where active) as active,
       array(select id from buckets where without_room) as without_room
from moment
