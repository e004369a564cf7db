-- Dead letters: since when they are there, and until when a redriven one is to wait.
--
-- message.not_before is the moment that the enqueue gave, by delay or by notBefore, if it lay ahead then: a redrive honours it.
-- available_at does not tell it any more once the message has been ready, or has been kept back by a failed attempt.
-- message.dead_lettered_at is when the message came into the dead letter queue; null for every other, and for those that came before
-- this migration. Giving these a time would rewrite each of them while nobody can enqueue; instead, queue.dead_letters_timed_from is the
-- moment from which on the times are known, and a dead letter without one counts as having come then.
--
-- Adding the columns is instant however much is stored. An operator who sets a retention keeps older dead letters for at least that
-- long after this migration.

alter table message
    add column not_before       timestamptz,
    add column dead_lettered_at timestamptz;

alter table queue
    add column dead_letters_timed_from timestamptz not null default now();
