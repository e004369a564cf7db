-- Replaces the bound of delivery records by what is known of when their messages were sent (step 6): to something earlier, and never
-- before the record that precedes it, so that records stay sorted. If a message was handed over later than its bound, because the
-- node stalled in that very moment, the record is set to when it was, and with it those that follow and would come before it.
-- A statement sees no row as it has just made it: what becomes of a settled record's predecessors is computed, not read.
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
    select s.bucket_id,
           s.until,
           s.id,
           s.sent_by,
           max(s.sent_by) over (partition by s.bucket_id order by s.until, s.id) as not_before
    from unnest(?::uuid[], ?::timestamptz[], ?::bigint[], ?::timestamptz[]) as s (bucket_id, until, id, sent_by)
    join locked_buckets l on l.id = s.bucket_id
),
pushed as (
    update delivery d
    set until = p.until
    from (
        select n.bucket_id, n.until as was, n.id, max(s.sent_by) as until
        from settled s
        join delivery n on n.bucket_id = any (array[s.bucket_id])
                       and n.until >= s.until
                       and n.until < s.sent_by
                       and n.id > s.id
        where s.sent_by > s.until
          and not exists (select from settled o where o.id = n.id)
        group by n.bucket_id, n.until, n.id
    ) p
    where d.bucket_id = any (array[p.bucket_id])
      and d.until = p.was
      and d.id = p.id
)
update delivery d
set until = greatest(
        s.not_before,
        coalesce(
            (
                select p.until
                from delivery p
                where p.bucket_id = s.bucket_id
                  and (p.until, p.id) < (s.until, s.id)
                  and not exists (select from settled o where o.id = p.id)
                order by p.until desc, p.id desc
                limit 1
            ),
            '-infinity'
        )
    )
from settled s
where d.bucket_id = any (array[s.bucket_id])
  and d.until = s.until
  and d.id = s.id
returning d.id, d.until
