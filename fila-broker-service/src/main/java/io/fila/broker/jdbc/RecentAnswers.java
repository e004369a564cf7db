package io.fila.broker.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.Ticker;

/**
 * Answers that are costly to compute. Each is computed by the first who asks, for all who ask meanwhile, and is good for a while
 * after that, whoever asks, and however often. A failure is shared by those who wait for it and not remembered: nobody waits for
 * several failures in a row. Safe for use by several threads.
 */
public final class RecentAnswers<K, V> {

    private final Function<K, V> compute;
    private final ToIntFunction<V> weight;

    /** Failures are answers too, for a moment: the cache would log them, and they may be the caller's mistakes. */
    private final AsyncCache<K, Outcome<V>> outcomes;

    /** @param weight of an answer; they are forgotten early when together they weigh more than {@code maxWeight} */
    public RecentAnswers(Duration age, Function<K, V> compute, ToIntFunction<V> weight, long maxWeight, Ticker ticker) {
        this.compute = compute;
        this.weight = weight;
        this.outcomes = Caffeine.newBuilder()
                .ticker(ticker)
                .scheduler(Scheduler.systemScheduler())
                .expireAfterWrite(age)
                .maximumWeight(maxWeight)
                .weigher((K key, Outcome<V> outcome) -> outcome.weight())
                .buildAsync();
    }

    private sealed interface Outcome<V> {
        int weight();

        /** The answer, or what computing it threw. */
        V get();
    }

    private record Answer<V>(V get, int weight) implements Outcome<V> {}

    private record Failure<V>(RuntimeException thrown, int weight) implements Outcome<V> {
        @Override
        public V get() {
            throw thrown;
        }
    }

    /** At most so many answers. */
    public RecentAnswers(Duration age, int maxAnswers, Function<K, V> compute) {
        this(age, compute, answer -> 1, maxAnswers, Ticker.systemTicker());
    }

    /** The answer, or what computing it threw. */
    public V get(K key) {
        CompletableFuture<Outcome<V>> known = outcomes.getIfPresent(key);
        if (known != null) {
            return known.join().get();
        }
        CompletableFuture<Outcome<V>> mine = new CompletableFuture<>();
        CompletableFuture<Outcome<V>> present = outcomes.asMap().putIfAbsent(key, mine);
        if (present != null) {
            return present.join().get();
        }
        try {
            V answer = compute.apply(key);
            mine.complete(new Answer<>(answer, weight.applyAsInt(answer)));
            return answer;
        } catch (RuntimeException e) {
            mine.complete(new Failure<>(e, 1));
            outcomes.asMap().remove(key, mine);
            throw e;
        } finally {
            // if it was an error, those who wait must not wait for ever
            mine.cancel(false);
        }
    }

    public void forget(K key) {
        outcomes.synchronous().invalidate(key);
    }

    /** Forgets the answers that match; looks at all of them. */
    public void forgetIf(Predicate<V> matches) {
        outcomes.synchronous()
                .asMap()
                .values()
                .removeIf(outcome -> outcome instanceof Answer<V> answer && matches.test(answer.get()));
    }
}
