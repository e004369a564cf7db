-- Settings of a queue's life. ordering_key is fixed when the queue is created: null for a queue without order, empty for one group
-- that is the whole queue. Of a queue with fast_delivery a crash of the database may forget that messages were leased.
-- dead_letter_retention_ms is how long the queue's dead letters are kept; null: for ever.

alter table queue
    add column ordering_key             text[],
    add column unordered_when_key_missing boolean not null default false,
    add column fast_delivery            boolean not null default false,
    add column dead_letter_retention_ms bigint,
    add constraint dead_letters_are_kept_for_a_minute check (dead_letter_retention_ms >= 60000);
