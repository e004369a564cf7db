package io.fila.broker.admin;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.fila.broker.message.Lease;
import io.fila.broker.message.Settlement;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** Reads what a consumer says of its leases. A lease that is named twice is settled once. */
final class SettlementInput {

    private static final int MAX_LEASES = 10_000;

    /** A guard of memory only: each has to be the name of a throttle in force. */
    private static final int MAX_THROTTLES = 1_000;

    private static final Field<List<Lease>> LEASES = Field.of("leases", SettlementInput::leases);
    private static final Field<String> ERROR = Field.of("error", JsonInput::unicodeText);
    private static final Field<Duration> RETRY_AFTER = Field.of("retryAfter", JsonInput::duration);
    private static final Field<Boolean> DEAD_LETTER = Field.of("deadLetter", JsonInput::bool);
    private static final Field<Duration> CLOSE_BUCKETS_FOR = Field.of("closeBucketsFor", JsonInput::duration);
    private static final Field<List<String>> CLOSE_BUCKETS_OF = Field.of("closeBucketsOf", SettlementInput::throttles);
    private static final Field<Duration> BY = Field.of("by", JsonInput::duration);

    private SettlementInput() {}

    static List<Settlement> ack(JsonInput in) {
        return each(in.object(LEASES), Settlement.Ack::new);
    }

    static List<Settlement> nack(JsonInput in) {
        Fields given = in.object(LEASES, ERROR, RETRY_AFTER, DEAD_LETTER, CLOSE_BUCKETS_FOR, CLOSE_BUCKETS_OF);
        String error = given.get(ERROR, "");
        @Nullable Duration retryAfter = given.get(RETRY_AFTER);
        boolean deadLetter = given.get(DEAD_LETTER, false);
        @Nullable Duration closeFor = given.get(CLOSE_BUCKETS_FOR);
        List<String> closeOf = given.get(CLOSE_BUCKETS_OF, List.of());
        return each(given, lease -> Settlement.nack(lease, error, retryAfter, deadLetter, closeFor, closeOf));
    }

    static List<Settlement> extend(JsonInput in) {
        Fields given = in.object(LEASES, BY);
        @Nullable Duration by = given.get(BY);
        return each(given, lease -> new Settlement.Extend(lease, by));
    }

    static List<Settlement> release(JsonInput in) {
        return each(in.object(LEASES), Settlement.Release::new);
    }

    private static List<Settlement> each(Fields given, Function<Lease, Settlement> settlement) {
        return given.require(LEASES).stream().distinct().map(settlement).toList();
    }

    private static List<String> throttles(JsonInput in) {
        String at = in.path();
        List<String> names = in.array(MAX_THROTTLES, element -> Names.require(element.path(), element.text()));
        if (names.isEmpty()) {
            throw ProblemException.invalid(
                    at + ": expected at least one throttle, or no such field for all of them; got an empty array");
        }
        return names;
    }

    private static List<Lease> leases(JsonInput in) {
        String at = in.path();
        List<Lease> leases = in.array(MAX_LEASES, element -> Lease.parse(element.path(), element.text()));
        if (leases.isEmpty()) {
            throw ProblemException.invalid(at + ": expected at least one lease, got an empty array");
        }
        return leases;
    }
}
