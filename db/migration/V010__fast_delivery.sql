-- Fast deliveries: what a crash of the database may have forgotten. Claims of a queue with fast_delivery do not wait until they are
-- on disk, so a crash may take the latest of them back though their messages were delivered: as for clock.complete_from (V007), a
-- window of their throttles that reaches back before throttle.complete_from cannot be counted, and has no room. Null: nothing is
-- missing, or no limit counts what is.
--
-- server_run tells that there was a crash, and holds one row. The table is unlogged, and that is what it is for: PostgreSQL empties it
-- when it recovers from a crash, also if only one of its processes was killed, and when a replica takes over, and keeps it over an
-- orderly restart. A node that finds no row has the throttles pause that may have forgotten, and inserts the row again, in one
-- transaction.
--
-- counted_throttle is what counting room goes by: the limits of a throttle, and until when it has none at all because its history
-- is incomplete. The expression stands here once; a view becomes part of the statement that reads it.
--
-- Nothing pauses because of the migration: the row is there from the beginning.

alter table throttle
    add column complete_from timestamptz;

create unlogged table server_run (
    is_run boolean primary key default true,
    since  timestamptz not null default clock_timestamp(),
    constraint there_is_one_run check (is_run)
);
insert into server_run default values;

create view counted_throttle as
select t.name,
       t.limit_counts,
       t.limit_windows_ms,
       (
           select greatest(c.complete_from, t.complete_from)
               + (select max(w) from unnest(t.limit_windows_ms) as w) * interval '1 millisecond'
           from clock c
           where coalesce(c.complete_from, t.complete_from) is not null
       ) as incomplete_until
from throttle t;
