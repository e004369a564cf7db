-- Leases the oldest ready messages of the given lanes, in the order of the lanes, up to each lane's share.
-- Serving indexes: message_ready for finding, the primary key for updating: never a scan of the table, however large it is and
-- whatever the planner believes (the array keeps it from joining). Locks: the messages, skipping those that somebody else has.
-- Writes: message.
update message m
set state       = 3,
    lease       = ?,
    lease_until = clock_timestamp() + ? * interval '1 millisecond',
    attempts    = m.attempts + 1
where m.queue_id = ?
  and m.sequence = any (array(
      select candidate.sequence
      from unnest(?::uuid[], ?::bigint[], ?::integer[]) with ordinality as l (lane, head, quota, position)
      cross join lateral (
          select r.sequence
          from message r
          where r.queue_id = ?
            and r.lane = l.lane
            and r.state = 0
            and r.sequence >= l.head
          order by r.sequence
          limit l.quota
          for update skip locked
      ) candidate
  ))
returning m.sequence, m.lane, m.id, m.payload_kind, m.payload, m.headers, m.fairness_key, m.attributes, m.attempts, m.redrives,
          m.enqueued_at, m.lease_until
