-- Replaces the bound of delivery records by what is known of when their messages were sent (step 6): to something earlier, and never
-- before the record that precedes it, so that records stay sorted. If a message was handed over later than its bound, because the
-- node stalled in that very moment, the record is set to when it was, and with it those that follow and would come before it.
-- Serving index: delivery_pkey. Locks: bucket rows in id order, leaving those that somebody else holds. Writes: delivery.
-- Answers with the records it settled, and their bounds; the others are settled another time, or keep their bound.
with locked_buckets as materialized (
    select id
    from bucket
    where id = any (?::uuid[])
    order by id
    for update skip locked
),
settled as materialized (
    select s.bucket_id, s.until, s.id, s.sent_by
    from unnest(?::uuid[], ?::timestamptz[], ?::bigint[], ?::timestamptz[]) as s (bucket_id, until, id, sent_by)
    join locked_buckets l on l.id = s.bucket_id
),
pushed as (
    update delivery d
    set until = s.sent_by
    from settled s
    where s.sent_by > s.until
      and d.bucket_id = s.bucket_id
      and d.until >= s.until
      and d.until < s.sent_by
      and d.id > s.id
)
update delivery d
set until = greatest(
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
    )
from settled s
where d.bucket_id = s.bucket_id
  and d.until = s.until
  and d.id = s.id
returning d.id, d.until
