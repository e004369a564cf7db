-- Evicts those of the locked buckets that have no records left and are not closed: they are the same as new ones. Not those that
-- a claim may just have made sure of. To be run after the buckets were locked, in a statement of its own, so that it sees what
-- the last claim has recorded.
-- Serving indexes: bucket_pkey, delivery_pkey: one probe for a bucket. Locks: none beyond those that the transaction holds.
-- Writes: bucket.
delete from bucket b
where b.id = any (?::uuid[])
  and b.last_grant <= clock_timestamp() - ? * interval '1 millisecond'
  and coalesce(b.closed_until <= clock_timestamp(), true)
  and (
      select d.id
      from delivery d
      where d.bucket_id = b.id
      limit 1
  ) is null
