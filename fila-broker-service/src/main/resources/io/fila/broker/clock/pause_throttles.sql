-- After a crash, or when another server has taken over: the throttles of queues with fast deliveries may have forgotten some of those,
-- so their history is complete only from when no message of a forgotten claim can be under way any more. The log of the database
-- keeps commits in their order, so what was forgotten was delivered by declarations and settings that are here still: a claim that
-- was lost is later than all that is left, and what claims go by precedes them in the log.
-- Answers with the throttles and until when they have no room.
-- Run under the exclusive lock of the timeline: whoever ends declarations or fast deliveries holds it shared.
-- Serving indexes: throttle_pkey; all queues and declarations are read. Writes: throttle. It happens after a crash, and at no other time.
update throttle t
set complete_from = moment.complete_from
from (select clock_timestamp() + ? * interval '1 microsecond' as complete_from) moment
where t.name in (
    select d.throttle
    from declaration d
    join queue q on q.id = d.queue_id
    where q.fast_delivery
)
returning t.name,
          t.complete_from + (select max(w) from unnest(t.limit_windows_ms) as w) * interval '1 millisecond'
