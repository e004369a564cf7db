-- Leases the oldest ready messages of the given lanes, in the order of the lanes, up to each lane's share, of ordering groups the head
-- alone if it is ready (it stays the head as long as it is there, so nothing has to be asked), and altogether up to so many
-- bytes of payload, or one message: lengths are known without reading payloads. Each row tells how many messages were found; more
-- than were leased means that the bytes ended it. Of an ordered queue nothing goes that came after an unclassified message, which may
-- be of any group: seen by the same snapshot, since arrivals there are committed in their order.
-- Serving indexes: message_ready for finding, message_set_aside for the unclassified one, the primary key for updating: never a scan of
-- the table, however large it is and whatever the planner believes (the array keeps it from joining). Locks: the messages, skipping
-- those that somebody else has. Writes: message.
with found as materialized (
    select candidate.sequence,
           row_number() over so_far as place,
           sum(candidate.bytes) over so_far as bytes
    from unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::integer[]) with ordinality as l (lane, head, last, quota, position)
    cross join lateral (
        select r.sequence, octet_length(r.payload) as bytes
        from message r
        where r.queue_id + 0 = ?
          and r.lane = l.lane
          and r.state = 0
          and r.sequence >= l.head
        order by r.sequence
        limit l.quota
        for update skip locked
    ) candidate
    -- not in the subquery: for a range of sequences the planner takes the primary key
    where candidate.sequence <= l.last
      and candidate.sequence < coalesce(
          case when ? then (
              select u.sequence
              from message u
              where u.queue_id + 0 = ?
                and u.state = 2
              order by u.sequence
              limit 1
          ) end,
          9223372036854775807
      )
    window so_far as (order by l.position, candidate.sequence)
)
update message m
set state       = 3,
    lease       = ?,
    lease_until = clock_timestamp() + ? * interval '1 millisecond',
    attempts    = m.attempts + 1
where m.queue_id = ?
  and m.sequence = any (array(select sequence from found where place = 1 or bytes <= ?))
returning m.sequence, m.lane, m.id, m.payload_kind, m.payload, m.headers, m.fairness_key, m.attributes, m.attempts, m.redrives,
          m.enqueued_at, m.lease_until, (select count(*) from found)
