-- By which clock deliveries are recorded. The count of a window compares records with the clock of the server, so it holds only
-- while that clock runs steadily: when it was set, or is another server's, the records have to be moved first.
--
-- clock has one row. generation counts how often records were moved: what a node knows of the clock holds for one generation.
-- server_started tells servers apart; it is null until the first broker node has looked.
--
-- clock_mark holds what the nodes of a host know of the clock, so that a node started again does not begin without: bounds of the
-- server's clock less the host's monotonic one, in nanoseconds, as known at a moment of the latter. host names one boot of one
-- host: the monotonic clock begins anew with each.

create table clock (
    is_clock       boolean primary key default true,
    generation     bigint not null default 0,
    server_started timestamptz,
    constraint there_is_one_clock check (is_clock)
);
insert into clock default values;

create table clock_mark (
    host       text primary key,
    generation bigint not null,
    least      bigint not null,
    most       bigint not null,
    known_at   bigint not null,
    marked_at  timestamptz not null
);
