package io.fila.template;

import java.lang.reflect.Type;

import io.fila.client.Payload;

/**
 * Converts between objects and the bodies of messages. Safe for use by several threads. Declare a bean of this type to replace
 * {@link JsonPayloadConverter}.
 */
public interface PayloadConverter {

    /**
     * The body for an object to be sent.
     *
     * @throws PayloadConversionException if there is none
     */
    Payload toPayload(Object object);

    /**
     * The object of the given type that a received body stands for.
     *
     * @throws PayloadConversionException if there is none; the message is dead-lettered, for trying again cannot help
     */
    Object fromPayload(Payload payload, Type type);
}
