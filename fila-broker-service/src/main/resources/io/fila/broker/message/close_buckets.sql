-- Closes buckets for so long from now, unless they are closed for longer. Inserts those that are not there, or not any more, and
-- locks the others in the same statement: neither an eviction nor a claim can come in between.
-- Serving indexes: bucket_pkey, throttle_pkey. Locks: buckets in id order (I6), waiting; shared, by reference, the throttle rows.
-- Writes: bucket.
insert into bucket (id, throttle, key_values, closed_until)
select c.id,
       c.throttle,
       case when c.key_values is not null then array(select jsonb_array_elements_text(c.key_values::jsonb)) end,
       clock_timestamp() + c.closed_ms * interval '1 millisecond'
from unnest(?::uuid[], ?::text[], ?::text[], ?::bigint[]) as c (id, throttle, key_values, closed_ms)
join throttle t on t.name = c.throttle
order by c.id
on conflict (id) do update
set closed_until = greatest(bucket.closed_until, excluded.closed_until)
