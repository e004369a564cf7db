-- Scripts of queues, the messages that wait for one, and the store that scripts read from.
--
-- script_tries counts the runs of on_enqueue that failed for a message; it is 0 again once the message has been classified. A message
-- that is unclassified (state 2) is tried next at available_at. Columns with a constant default are added at once; the index is built
-- by reading the table, which locks out writes to messages for as long: about a second for each million that are stored.

alter table queue
    add column on_enqueue             text,
    add column on_failure             text,
    add column park_when_script_fails boolean not null default false,
    add column dead_letter_after      integer,
    add constraint a_message_is_classified_at_least_once check (dead_letter_after >= 1);

alter table message
    add column script_tries integer not null default 0;

-- which unclassified message is tried next; state + 0, so that message_set_aside cannot be taken for it (V012)
create index message_unclassified on message (available_at) include (queue_id) where state + 0 = 2;

-- What scripts read with fila.get.
create table config (
    key        text        primary key,
    value      text        not null,
    updated_at timestamptz not null default clock_timestamp()
);

-- Counts the changes of config, so that nodes need not read it to know that it is as it was.
create table config_version (
    version bigint  not null,
    is_only boolean primary key default true,
    constraint there_is_one_config_version check (is_only)
);

insert into config_version (version) values (0);
