package io.fila.broker.pacing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.fila.broker.clock.ClockMovedException;
import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.pacing.BucketStore.Refund;
import io.fila.broker.pacing.BucketStore.Settlement;
import io.fila.broker.pacing.PermitStore.Tried;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.Bucket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/**
 * Permits: for calls that do not come from a queue, counted in the buckets that deliveries are counted in, by the same rules. A
 * permit happens when its answer is handed to the caller's connection; what the caller does with it later is the caller's.
 * Whoever asks neither waits for messages that wait for the bucket nor goes before them. Safe for use by several threads; calls
 * block.
 *
 * <p>The proof is that of deliveries (see the package), with the answer for the message: it is handed over when the database's
 * clock has surely reached the {@code g} of its grant, and before the node's clock reaches {@code t0 + h}, or not at all. A
 * permit goes by the limits as they are in the transaction that grants it: no subscription waits for it, as for claims, so one
 * granted at the moment at which a stricter limit is accepted may yet go by the old ones; it counts against the new one.
 */
@Service
public class Permits {

    /** The most that can be asked for at once: no limit can be larger. */
    public static final int MOST = 1_000_000_000;

    private static final Logger log = LoggerFactory.getLogger(Permits.class);

    /** Of all values of a key together, in characters; far above what headers may have. */
    private static final int LONGEST_KEY = 65_536;

    /** How long a bucket that others hold is tried for. */
    private static final long PATIENCE = Duration.ofSeconds(2).toNanos();

    /** Between two tries. Claims hold a bucket for some milliseconds. */
    private static final Duration LEAST_PAUSE = Duration.ofMillis(1);

    private static final Duration MOST_PAUSE = Duration.ofMillis(5);

    private final RulesStore rules;
    private final PermitStore store;
    private final BucketStore buckets;
    private final PermitSettler settler;
    private final PacingMeters meters;
    private final DeliveryLogWriter deliveryLog;
    private final Duration bound;

    Permits(PacingContext context, PermitStore store, PermitSettler settler) {
        this.rules = context.rules();
        this.buckets = context.buckets();
        this.meters = context.meters();
        this.deliveryLog = context.deliveryLog();
        this.bound = context.properties().tokenExpiry();
        this.store = store;
        this.settler = settler;
    }

    /**
     * Grants all of the permits or none, and tells the caller, once, before it returns.
     *
     * @param key the value of each component, in order; null or empty: the one bucket of an unkeyed throttle, or that of
     *     messages lacking the key
     * @param caller is given the answer at the moment that counts, so it is to hand it to the caller's connection at once
     * @throws ProblemException {@code throttle-not-found}, {@code invalid-request}, {@code storage-unavailable}; then nothing
     *     was handed over
     */
    public void acquire(String throttle, @Nullable List<String> key, int permits, Consumer<PermitAnswer> caller) {
        Names.require("throttle", throttle);
        if (permits < 1 || permits > MOST) {
            throw ProblemException.invalid("permits: expected 1 to %d, got %d".formatted(MOST, permits));
        }
        List<String> values = key == null ? List.of() : key;
        requireStorable(values);
        long giveUp = System.nanoTime() + PATIENCE;
        ActiveThrottle known = find(throttle, permits);
        Bucket bucket = bucket(known, values);
        do {
            // before the transaction: the bound on how late the answer may be handed over counts from here (I2)
            long t0 = System.nanoTime();
            Tried tried = tryGrant(known, bucket, permits);
            if (tried instanceof Tried.Granted granted && handOver(bucket, granted, t0, caller)) {
                return;
            }
            if (tried instanceof Tried.Full full) {
                meters.permits(throttle, permits, false);
                caller.accept(new PermitAnswer(full.roomAt().toInstant()));
                return;
            }
            if (tried instanceof Tried.Stale) {
                known = find(throttle, permits);
                bucket = bucket(known, values);
            } else if (tried instanceof Tried.Missing) {
                buckets.insert(List.of(bucket));
            } else if (tried instanceof Tried.Busy) {
                pause();
            }
        } while (System.nanoTime() - giveUp < 0);
        throw new ProblemException(
                ProblemCode.STORAGE_UNAVAILABLE,
                "permits: the bucket of throttle '%s' was in use, or the database too slow, so none was granted; try again"
                        .formatted(throttle),
                Duration.ofSeconds(1),
                null);
    }

    private static void pause() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LEAST_PAUSE.toNanos(), MOST_PAUSE.toNanos()));
    }

    private Tried tryGrant(ActiveThrottle throttle, Bucket bucket, int permits) {
        try {
            return store.tryGrant(throttle, bucket, permits, bound);
        } catch (ClockMovedException e) {
            throw new ProblemException(
                    ProblemCode.STORAGE_UNAVAILABLE,
                    "permits: the database's clock was set, and it is not known yet by how much; try again",
                    Duration.ofSeconds(1),
                    e);
        }
    }

    /** False if it would be too late. */
    private boolean handOver(Bucket bucket, Tried.Granted granted, long t0, Consumer<PermitAnswer> caller) {
        Grant grant = granted.grant();
        Bounds clock = granted.clock();
        // a claim that ran ahead may have granted for a moment that is yet to come, and g never falls
        long due = clock.surelyAt(grant.g());
        long deadline = t0 + bound.toNanos();
        if (due - deadline >= 0) {
            giveBack(bucket.throttle(), granted);
            LockSupport.parkNanos(Math.min(due - deadline, bound.toNanos()));
            return false;
        }
        for (long now = System.nanoTime(); due - now > 0; now = System.nanoTime()) {
            LockSupport.parkNanos(due - now);
        }
        Instant from = Instant.now();
        if (System.nanoTime() - deadline >= 0) {
            giveBack(bucket.throttle(), granted);
            return false;
        }
        try {
            caller.accept(PermitAnswer.GRANTED);
        } finally {
            // also if that failed: it may have been handed over
            long handedOver = System.nanoTime();
            deliveryLog.granted(bucket, grant.count(), from, Instant.now());
            settler.add(new Settlement(grant, clock.atMost(handedOver), handedOver));
        }
        meters.permits(bucket.throttle(), grant.count(), true);
        return true;
    }

    /** The permits were not handed over, and stop counting; if that fails they stay counted, which is only stricter. */
    private void giveBack(String throttle, Tried.Granted granted) {
        Grant grant = granted.grant();
        meters.tokensExpired(throttle, grant.count());
        try {
            long now = System.nanoTime();
            Settlement settlement = new Settlement(grant, granted.clock().atMost(now), now);
            buckets.settleNow(List.of(settlement), List.of(new Refund(grant, grant.count())));
        } catch (RuntimeException e) {
            log.debug("could not give back permits of throttle '{}'", throttle, e);
        }
    }

    private ActiveThrottle find(String name, int permits) {
        ActiveThrottle throttle = rules.findThrottle(name)
                .orElseThrow(() -> new ProblemException(
                        ProblemCode.THROTTLE_NOT_FOUND,
                        "name: throttle '%s' is not declared by any subscriber, and has no deliveries in its window"
                                .formatted(name)));
        if (permits > throttle.most()) {
            throw ProblemException.invalid(
                    "permits: expected at most %d, which is all that a limit of throttle '%s' ever allows at once; got %d"
                            .formatted(throttle.most(), name, permits));
        }
        return throttle;
    }

    private static Bucket bucket(ActiveThrottle throttle, List<String> values) {
        String name = throttle.name();
        if (values.isEmpty() && !throttle.key().isEmpty()) {
            return throttle.bucketOfMissingKey()
                    .orElseThrow(() -> ProblemException.invalid(
                            "key: expected %d values, of %s: throttle '%s' does not apply to what lacks its key; got none"
                                    .formatted(throttle.key().size(), throttle.key(), name)));
        }
        if (values.size() != throttle.key().size()) {
            throw ProblemException.invalid(
                    "key: expected %d values, one for each component of %s in order, for throttle '%s'; got %d"
                            .formatted(throttle.key().size(), throttle.key(), name, values.size()));
        }
        return Bucket.of(name, throttle.key(), values);
    }

    private static void requireStorable(List<String> values) {
        int length = 0;
        for (String value : values) {
            if (value.indexOf('\0') >= 0) {
                throw ProblemException.invalid("key: expected text without the character NUL");
            }
            length += value.length();
        }
        if (length > LONGEST_KEY) {
            throw ProblemException.invalid(
                    "key: expected values of at most %d characters together, got %d".formatted(LONGEST_KEY, length));
        }
    }
}
