-- Throttles, their buckets and the record of deliveries.
--
-- throttle holds what all live declarations of a name come to. A claim reads it after locking buckets, so a limit binds every
-- claim that begins after its declaration was accepted, on any queue. retention is the longest window ever in force: deliveries
-- are remembered that long, so that a limit declared again finds them.
--
-- bucket is the hottest table: no index on a column that changes, room in every page, so updates stay in their page.
-- cum counts all its deliveries; delivery has one row per claim and bucket, with the total after it. What is in a window is
-- bucket.cum less the total of the last record outside it: one index probe, whatever the limit.

create table throttle (
    name             text    primary key,
    key              text[]  not null,
    unthrottled_when_key_missing boolean not null,
    limit_counts     integer[] not null,
    limit_windows_ms bigint[]  not null,
    retention_ms     bigint  not null,
    constraint every_limit_has_a_window check (cardinality(limit_counts) = cardinality(limit_windows_ms))
);

create table bucket (
    id           uuid   primary key,
    throttle     text   not null references throttle (name),
    key_values   text[],
    cum          bigint not null default 0,
    last_grant   timestamptz not null default clock_timestamp(),
    closed_until timestamptz
) with (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 200,
    autovacuum_vacuum_cost_delay = 0
);
create index bucket_of_throttle on bucket (throttle, id);

create table delivery (
    bucket_id  uuid        not null,
    until      timestamptz not null,
    id         bigint generated always as identity,
    count      integer     not null,
    cum        bigint      not null,
    primary key (bucket_id, until, id)
) with (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 1
);
