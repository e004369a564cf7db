-- One throttle, if it is declared or its deliveries are remembered: then it is what its declarations came to last.
-- Serving indexes: throttle_pkey, declaration_of_throttle; if nobody declares it bucket_of_throttle and delivery_pkey, one probe
-- for a bucket, until one has deliveries. Reads only.
select t.name, t.key, t.unthrottled_when_key_missing, t.limit_counts, t.limit_windows_ms
from throttle t
where t.name = ?
  and (
      exists (select 1 from declaration d where d.throttle = t.name)
      or exists (
          select 1
          from bucket b
          cross join lateral (
              select 1
              from delivery d
              where d.bucket_id = b.id
                and d.until > clock_timestamp() - t.retention_ms * interval '1 millisecond'
              limit 1
          ) remembered
          where b.throttle = t.name
      )
  )
