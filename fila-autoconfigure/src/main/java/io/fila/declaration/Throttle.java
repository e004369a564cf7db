package io.fila.declaration;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.fila.client.MissingKey;
import org.springframework.core.annotation.AliasFor;

/**
 * Limits how often messages of a listener's queue are delivered. It applies to every message of the queue, whoever receives it,
 * while the listener is subscribed; throttles of one name share their buckets, on whatever queue they are declared.
 *
 * <p>Without {@link #limits} the whole definition comes from {@code fila.throttles.<name>}. Repeatable, and usable as a
 * meta-annotation. Placeholders and SpEL work in every string.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(Throttles.class)
public @interface Throttle {

    /** Alias for {@link #name}. */
    @AliasFor("name")
    String value() default "";

    /** The name, global to the broker. */
    @AliasFor("value")
    String name() default "";

    /**
     * Limits as {@code N/W}: {@code 60/1m} is at most 60 deliveries in any window of one minute. Every limit holds. An entry may
     * expand to a list separated by commas.
     */
    String[] limits() default {};

    /**
     * What gives a message its own bucket: {@code header:NAME}, {@code attribute:NAME} or {@code fairnessKey}, in this order.
     * Empty: one bucket for all messages.
     */
    String[] key() default {};

    /** What holds for messages that lack a component of the key. */
    MissingKey whenKeyMissing() default MissingKey.SHARED_BUCKET;
}
