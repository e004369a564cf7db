package io.fila.broker.stats;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.ToIntFunction;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.Ticker;

/**
 * Answers that are costly to compute. Each is computed by the first who asks, for all who ask meanwhile, and is good for
 * {@link #AGE} after that: whoever asks, and however often, an answer is computed about twice a second at most. A failure is
 * shared by those who wait for it and not remembered. Safe for use by several threads.
 */
final class RecentAnswers<K, V> {

    /** Half of what is promised: an answer is put together from others, and computing takes a while. */
    static final Duration AGE = Duration.ofMillis(500);

    private final Function<K, V> compute;
    private final AsyncCache<K, V> answers;

    /** @param weight of an answer; they are forgotten early when together they weigh more than {@code maxWeight} */
    RecentAnswers(Function<K, V> compute, ToIntFunction<V> weight, long maxWeight, Ticker ticker) {
        this.compute = compute;
        this.answers = Caffeine.newBuilder()
                .ticker(ticker)
                .scheduler(Scheduler.systemScheduler())
                .expireAfterWrite(AGE)
                .maximumWeight(maxWeight)
                .weigher((K key, V answer) -> weight.applyAsInt(answer))
                .buildAsync();
    }

    V get(K key) {
        CompletableFuture<V> mine = new CompletableFuture<>();
        CompletableFuture<V> present = answers.asMap().putIfAbsent(key, mine);
        if (present != null) {
            return await(present);
        }
        try {
            V answer = compute.apply(key);
            mine.complete(answer);
            return answer;
        } catch (RuntimeException | Error e) {
            mine.completeExceptionally(e);
            throw e;
        }
    }

    private static <V> V await(CompletableFuture<V> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException problem ? problem : e;
        }
    }
}
