-- Makes sure that buckets are there before a claim locks them.
-- Serving index: bucket_pkey. Writes: bucket.
insert into bucket (id, throttle, key_values)
select b.id, b.throttle, case when b.key_values is not null then array(select jsonb_array_elements_text(b.key_values::jsonb)) end
from unnest(?::uuid[], ?::text[], ?::text[]) as b (id, throttle, key_values)
order by b.id
on conflict (id) do nothing
