-- Makes sure that buckets are there before a claim locks them. Not those of a throttle that is gone: the claim was proposed by
-- rules that no longer hold, and finds out.
-- Serving indexes: bucket_pkey, throttle_pkey. Locks: shared, by reference, the throttle rows. Writes: bucket.
insert into bucket (id, throttle, key_values)
select b.id, b.throttle, case when b.key_values is not null then array(select jsonb_array_elements_text(b.key_values::jsonb)) end
from unnest(?::uuid[], ?::text[], ?::text[]) as b (id, throttle, key_values)
join throttle t on t.name = b.throttle
order by b.id
on conflict (id) do nothing
