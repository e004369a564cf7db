-- Looks at buckets in id order, after a given one, and says which have something to be forgotten: a record older than the
-- throttle's retention, or no record and neither a claim nor a closing that needs them. Only a look: what is done about it looks
-- again under locks.
-- Serving indexes: bucket_pkey, an entry for each bucket of the page; delivery_pkey, one probe for each. Reads only.
with moment as materialized (
    select clock_timestamp() as now
),
page as materialized (
    select b.id, b.throttle, b.last_grant, b.closed_until
    from bucket b
    where b.id > ?
    order by b.id
    limit ?
)
select p.id,
       p.throttle,
       coalesce(
           oldest.until <= moment.now - t.retention_ms * interval '1 millisecond',
           p.last_grant <= moment.now - ? * interval '1 millisecond'
               and coalesce(p.closed_until <= moment.now, true)
       ) as outdated
from moment
cross join page p
join throttle t on t.name = p.throttle
left join lateral (
    select d.until
    from delivery d
    where d.bucket_id = p.id
    order by d.until, d.id
    limit 1
) oldest on true
order by p.id
