-- The throttles in force on a queue, each with how many of its subscribers declare it.
-- Serving indexes: declaration_of_queue, throttle_pkey. Reads only.
select t.name, t.key, t.unthrottled_when_key_missing, t.limit_counts, t.limit_windows_ms, declared.subscribers
from (
    select d.throttle, count(*) as subscribers
    from declaration d
    where d.queue_id = ?
    group by d.throttle
) declared
join throttle t on t.name = declared.throttle
order by t.name
