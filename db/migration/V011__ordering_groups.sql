-- Messages of an ordering group have a lane that is the group, whatever else tells lanes of their queue apart, and are told by
-- ordered. Only the oldest message of a group may go, whatever state it is in: the index finds it, and only such messages pay for it.
-- The column is added at once. The index is built by reading the table, which locks out writes to messages for as long: about a
-- second for each million that are stored.

alter table message
    add column ordered boolean not null default false;

create index message_ordered on message (queue_id, lane, sequence) where ordered;
