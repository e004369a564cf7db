package io.fila.listener;

import java.lang.reflect.Type;

import io.fila.client.Payload;
import io.fila.template.PayloadConverter;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.SmartMessageConverter;

/** Lets Spring's method arguments be converted by a {@link PayloadConverter}, generic types included. */
final class PayloadMessageConverter implements SmartMessageConverter {

    private final PayloadConverter converter;

    PayloadMessageConverter(PayloadConverter converter) {
        this.converter = converter;
    }

    @Override
    public @Nullable Object fromMessage(Message<?> message, Class<?> targetClass) {
        return fromMessage(message, targetClass, null);
    }

    @Override
    public @Nullable Object fromMessage(Message<?> message, Class<?> targetClass, @Nullable Object conversionHint) {
        Type type =
                conversionHint instanceof MethodParameter parameter ? payloadType(parameter, targetClass) : targetClass;
        return message.getPayload() instanceof Payload payload ? converter.fromPayload(payload, type) : null;
    }

    private static Type payloadType(MethodParameter parameter, Class<?> targetClass) {
        MethodParameter payload = parameter.nestedIfOptional();
        if (Message.class.isAssignableFrom(payload.getNestedParameterType())) {
            payload = payload.nested();
        }
        Type type =
                GenericTypeResolver.resolveType(payload.getNestedGenericParameterType(), payload.getContainingClass());
        return type instanceof Class<?> ? targetClass : type;
    }

    @Override
    public @Nullable Message<?> toMessage(Object payload, @Nullable MessageHeaders headers) {
        return null;
    }

    @Override
    public @Nullable Message<?> toMessage(
            Object payload, @Nullable MessageHeaders headers, @Nullable Object conversionHint) {
        return null;
    }
}
