-- Replaces the bound of delivery records by what is known of when their messages were sent (step 6): only ever to something
-- earlier, and never before the record that precedes it, so that records stay sorted.
-- Serving index: delivery_pkey. Locks: bucket rows in id order, leaving those that somebody else holds. Writes: delivery.
-- Answers with the records it settled; the others are settled another time, or keep their bound.
with locked_buckets as materialized (
    select id
    from bucket
    where id = any (?::uuid[])
    order by id
    for update skip locked
)
update delivery d
set until = least(d.until, greatest(
        s.sent_by,
        coalesce(
            (
                select p.until
                from delivery p
                where p.bucket_id = s.bucket_id
                  and (p.until, p.id) < (s.until, s.id)
                order by p.until desc, p.id desc
                limit 1
            ),
            '-infinity'
        )
    ))
from unnest(?::uuid[], ?::timestamptz[], ?::bigint[], ?::timestamptz[]) as s (bucket_id, until, id, sent_by)
join locked_buckets l on l.id = s.bucket_id
where d.bucket_id = s.bucket_id
  and d.until = s.until
  and d.id = s.id
returning d.id
