-- Counts all delivery records as having been made now, or as late as a message that is under way still may be: by which clock they
-- were made nobody can tell. Allowance comes back a window later; nothing is exceeded. Every node counts as just seen, and every
-- subscription as just renewed.
-- Run under the exclusive lock of the timeline. Reads and writes all of: delivery, bucket, clock, throttle, node, subscription.
with moment as materialized (
    select clock_timestamp() as now
),
moved_deliveries as (
    update delivery
    set until = moment.now + ? * interval '1 microsecond'
    from moment
),
moved_buckets as (
    update bucket
    set last_grant = moment.now
    from moment
),
moved_history as (
    update clock
    set complete_from = moment.now + ? * interval '1 microsecond'
    from moment
    where complete_from is not null
),
moved_throttles as (
    update throttle
    set complete_from = moment.now + ? * interval '1 microsecond'
    from moment
    where complete_from is not null
),
seen_nodes as (
    update node
    set seen_at = moment.now
    from moment
)
update subscription
set expires_at = moment.now + ttl_ms * interval '1 millisecond'
from moment
where expires_at is not null
