-- Moves delivery records, grants and closings to what the clock shows now, by a difference that is known at the most: moved too
-- far, a delivery counts for longer, which is stricter. Signs of life are not moved, since they may have been given by either clock:
-- every node counts as just seen, and every subscription as just renewed. Where a throttle's history is incomplete, it may have been
-- found so by the clock as it is now: it becomes incomplete for no shorter, and never for longer than if it were found so just now.
-- Run under the exclusive lock of the timeline: nobody claims, settles, prunes or ends anything meanwhile.
-- Reads and writes all of: delivery, bucket, clock, throttle, node, subscription. It happens when a clock was set, and at no other time.
with moved_deliveries as (
    update delivery
    set until = until + ? * interval '1 microsecond'
),
moved_buckets as (
    update bucket
    set last_grant   = last_grant + ? * interval '1 microsecond',
        closed_until = closed_until + ? * interval '1 microsecond'
),
moved_history as (
    update clock
    set complete_from = complete_from + ? * interval '1 microsecond'
),
moved_throttles as (
    update throttle
    set complete_from = least(
            greatest(complete_from, complete_from + ? * interval '1 microsecond'),
            clock_timestamp() + ? * interval '1 microsecond'
        )
    where complete_from is not null
),
seen_nodes as (
    update node
    set seen_at = clock_timestamp()
)
update subscription
set expires_at = clock_timestamp() + ttl_ms * interval '1 millisecond'
where expires_at is not null
