-- Messages that wait for a moment or for a script, by queue: so that statistics count those of one queue, and find the oldest,
-- without looking at others. Only such messages pay for it; enqueuing, claiming and acknowledging the rest do not touch it.
-- Building it locks out writes to messages while it lasts: seconds for each million that are stored.

create index message_set_aside on message (queue_id, state, sequence) where state in (1, 2);
