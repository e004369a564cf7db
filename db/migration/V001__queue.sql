-- Queues and their settings. Every queue comes with a dead letter queue, which is a queue too (and has none of its own).
--
-- throttle_version counts what has been declared and withdrawn on the queue: a claim that was proposed with another version
-- is rolled back (invariant I4). lane_key is the set of key components that tell the queue's lanes apart.

create table queue (
    id                   bigint generated always as identity primary key,
    name                 text    not null,
    dead_letter_id       bigint references queue (id),
    paused               boolean not null default false,
    visibility_timeout_ms bigint not null,
    max_attempts         integer not null,
    initial_backoff_ms   bigint  not null,
    backoff_multiplier   double precision not null,
    max_backoff_ms       bigint  not null,
    backoff_jitter       double precision not null,
    max_backlog          bigint,
    throttle_version     bigint  not null default 0,
    lane_key             text[]  not null default '{}',
    constraint queue_names_are_unique unique (name),
    constraint leases_last_at_least_a_second check (visibility_timeout_ms >= 1000),
    constraint a_message_is_attempted_at_least_once check (max_attempts >= 1)
);
