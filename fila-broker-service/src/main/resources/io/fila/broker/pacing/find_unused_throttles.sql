-- Throttles that nobody declares, that have no buckets and whose history is complete.
-- Serving indexes: declaration_of_throttle, bucket_of_throttle: a probe of each for a throttle. Reads only.
select t.name
from throttle t
where (select d.throttle from declaration d where d.throttle = t.name limit 1) is null
  and (select b.throttle from bucket b where b.throttle = t.name limit 1) is null
  and t.complete_from is null
