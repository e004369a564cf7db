-- Who is listening and what they declare: soft state. A subscription by HTTP lives until expires_at, which its calls push on;
-- one by gRPC lives as long as its stream, so it has no expiry and goes when its node says so or has not been seen for a while.

create table node (
    id      uuid primary key,
    name    text not null,
    seen_at timestamptz not null
);

create table subscription (
    id         uuid primary key,
    queue_id   bigint not null references queue (id) on delete cascade,
    consumer   text   not null,
    node_id    uuid,
    ttl_ms     bigint,
    expires_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    constraint a_subscription_ends_with_its_node_or_its_time check ((node_id is null) = (expires_at is not null)
        and (ttl_ms is null) = (expires_at is null))
);
create index subscription_of_queue on subscription (queue_id);
create index subscription_of_node on subscription (node_id) where node_id is not null;
create index subscription_expiry on subscription (expires_at) where expires_at is not null;

create table declaration (
    subscription_id  uuid   not null references subscription (id) on delete cascade,
    throttle         text   not null references throttle (name),
    queue_id         bigint not null,
    unthrottled_when_key_missing boolean not null,
    limit_counts     integer[] not null,
    limit_windows_ms bigint[]  not null,
    primary key (subscription_id, throttle)
);
create index declaration_of_throttle on declaration (throttle);
create index declaration_of_queue on declaration (queue_id);
