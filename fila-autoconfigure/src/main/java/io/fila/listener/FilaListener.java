package io.fila.listener;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method handle the messages of a queue. Add {@link io.fila.declaration.Throttle} to limit how often they are delivered.
 *
 * <p>Parameters are filled by type: {@link io.fila.client.FilaMessage}, {@link Acknowledgement}, {@code Message<?>}, those annotated
 * with {@code @Header} or {@code @Headers}; any other, or the one annotated with {@code @Payload}, is the converted payload.
 * {@link FilaHeaders} lists what is available as a header beside the message's own. What the method returns is ignored.
 *
 * <p>Usable as a meta-annotation. Placeholders and SpEL work in every string.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface FilaListener {

    /** The queue. */
    String queue();

    /**
     * Names the listener in the registry, in logs, and as the consumer in the broker's statistics. Default: the bean's and the
     * method's name, {@code charges.charge}.
     */
    String id() default "";

    /** How many messages are handled at once. Default: {@code fila.listener.concurrency}. */
    String concurrency() default "";

    /** Who acknowledges. */
    AckMode ackMode() default AckMode.AUTO;

    /** Name of the {@link FilaListenerContainerFactory} bean. Default: {@code filaListenerContainerFactory}. */
    String containerFactory() default "";

    /** Whether to start with the application. Default: {@code fila.listener.auto-startup}. */
    String autoStartup() default "";

    /** Name of a {@link FilaListenerErrorHandler} bean that decides about failures. Default: none, an exception is a nack. */
    String errorHandler() default "";
}
