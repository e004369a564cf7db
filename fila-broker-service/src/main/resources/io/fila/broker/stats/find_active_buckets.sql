-- The first buckets of a throttle, in the order of their ids, that have deliveries in its longest window.
-- Serving indexes: bucket_of_throttle, delivery_pkey: one probe for a bucket, until there are enough. Reads only.
with moment as materialized (
    select ?::timestamptz as now
)
select b.id
from moment
cross join throttle t
join bucket b on b.throttle = t.name
where t.name = ?
  and b.id <> all (?::uuid[])
  and exists (
      select 1
      from delivery d
      where d.bucket_id = b.id
        and d.until > moment.now - (select max(w) from unnest(t.limit_windows_ms) as w) * interval '1 millisecond'
      offset 0
  )
order by b.id
limit ?
