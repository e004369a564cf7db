-- Forgets delivery records of locked buckets that are older than the retention of their throttle, which is the longest window
-- ever in force: no limit counts them. The oldest go first, so what remains of a bucket is always its latest records, and the
-- total before them can be told from the first of them.
-- Serving indexes: bucket_pkey, delivery_pkey: only records that go are read, and the first that stays. They are deleted by
-- their place, which does not change under the bucket's lock: no plan can come to read the table. Locks: none beyond those that
-- the transaction holds. Writes: delivery.
with moment as materialized (
    select clock_timestamp() as now
)
delete from delivery
where ctid = any (array(
    select outdated.place
    from moment
    cross join unnest(?::uuid[]) as a (id)
    cross join lateral (
        select o.id, o.throttle
        from bucket o
        where o.id = a.id
        offset 0
    ) b
    join throttle t on t.name = b.throttle
    cross join lateral (
        select d.ctid as place
        from delivery d
        where d.bucket_id = b.id
          and d.until <= moment.now - t.retention_ms * interval '1 millisecond'
        order by d.until, d.id
    ) outdated
    limit ?
))
