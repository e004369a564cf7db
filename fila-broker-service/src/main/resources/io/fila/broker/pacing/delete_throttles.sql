-- Deletes those of the locked throttles that nobody declares, that have no buckets and whose history is complete: a new one of the
-- name would be taken for complete. In a statement of its own after they were locked: a declaration or a bucket that came meanwhile
-- has been committed, and is seen.
-- Serving indexes: throttle_pkey, declaration_of_throttle, bucket_of_throttle. Locks: none beyond those that the transaction
-- holds. Writes: throttle.
delete from throttle t
where t.name = any (?)
  and (select d.throttle from declaration d where d.throttle = t.name limit 1) is null
  and (select b.throttle from bucket b where b.throttle = t.name limit 1) is null
  and t.complete_from is null
