-- Finds the lanes of a queue that have ready messages, after a given lane, with the lowest sequence of each: as many as asked for, or
-- up to three times as many.
-- Serving index: message_ready, read without the table. Looks at twice as many entries at a time as the last look found lanes, which
-- reads on through short lanes and jumps over long ones: about two entries and, at worst, a probe for each lane. Reads only.
with recursive look as (
    select array[?::uuid] as lanes, array[]::bigint[] as sequences, 0 as found
    union all
    select next.lanes, next.sequences, look.found + cardinality(next.lanes)
    from look
    cross join lateral (
        select array_agg(heads.lane order by heads.lane) as lanes, array_agg(heads.sequence order by heads.lane) as sequences
        from (
            select distinct on (entries.lane) entries.lane, entries.sequence
            from (
                select m.lane, m.sequence
                from message m
                where m.queue_id + 0 = ?
                  and m.state = 0
                  and m.lane > look.lanes[cardinality(look.lanes)]
                order by m.lane, m.sequence
                limit 2 * cardinality(look.lanes)
            ) entries
            order by entries.lane, entries.sequence
        ) heads
    ) next
    where look.found < ?
      and next.lanes is not null
)
select heads.lane, heads.sequence
from look
cross join unnest(look.lanes, look.sequences) as heads (lane, sequence)
where look.found > 0
order by heads.lane
