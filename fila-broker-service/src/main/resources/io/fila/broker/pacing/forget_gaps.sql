-- Forgets of throttles that their history is incomplete, once nothing that is remembered reaches back so far (retention is the longest
-- window ever in force).
-- Serving index: throttle_pkey; all throttles are read, as they are to find unused ones. Locks: throttle rows by name, leaving those
-- that somebody is changing. Writes: throttle.
update throttle
set complete_from = null
where name in (
    select t.name
    from throttle t
    where t.complete_from <= clock_timestamp() - t.retention_ms * interval '1 millisecond'
    order by t.name
    for no key update skip locked
)
