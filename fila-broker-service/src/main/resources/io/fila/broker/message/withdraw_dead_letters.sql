-- Withdraws messages that this transaction has stored, of ids that turn out to be those of dead letters. Answers with what it withdrew.
--
-- insert_messages looks for dead letters with the snapshot that it began with. A message that leaves for the dead letter queue afterwards
-- is not among them, and its id is free in the queue by the time the insert comes to it, or when the insert has waited for it. All that
-- move a message meet in message_id, at its id in the queue: while a move away is under way the insert waits for its end, and from the
-- insert on no other message of the id can be in the queue, so none can leave it. A dead letter of the id that there ever was in the
-- meantime was therefore committed before the id was inserted, and this statement, whose snapshot is later, sees it, or what became of it:
-- - it is there: the message was stored twice, and is withdrawn before anybody saw it. The enqueue is a duplicate.
-- - it has been removed: it left before the enqueue, which stored another message.
-- - it is being redriven: that waits in message_id for this transaction, and it is there still; when the message has been withdrawn,
--   the redrive goes on. One that was committed had the id in the queue before, and the insert has stored nothing.
--
-- Serving indexes: message_pkey, message_id. Locks and writes: the messages, which nobody else knows of.
delete from message m
using unnest(?::bigint[], ?::bigint[], ?::uuid[]) as s (queue_id, sequence, id)
where m.queue_id = any (array[s.queue_id])
  and m.sequence = any (array[s.sequence])
  and (
      select d.sequence
      from message d
      where d.id = s.id
        and d.queue_id + 0 = (select q.dead_letter_id from queue q where q.id = any (array[s.queue_id]))
      limit 1
  ) is not null
returning s.queue_id, s.id
