-- Names of the throttles that are declared, or whose deliveries are remembered: all of them, or only the given one if it is such.
-- Serving indexes: throttle_pkey, declaration_of_throttle; for those that nobody declares bucket_of_throttle and delivery_pkey,
-- one probe for a bucket, until one has deliveries. Reads only.
with moment as materialized (
    select clock_timestamp() as now, ?::text as asked
)
select t.name
from moment
cross join throttle t
where t.name = coalesce(moment.asked, t.name)
  and (
      exists (select 1 from declaration d where d.throttle = t.name)
      or exists (
          select 1
          from bucket b
          cross join lateral (
              select 1
              from delivery d
              where d.bucket_id = b.id
                and d.until > moment.now - t.retention_ms * interval '1 millisecond'
              limit 1
          ) remembered
          where b.throttle = t.name
      )
  )
