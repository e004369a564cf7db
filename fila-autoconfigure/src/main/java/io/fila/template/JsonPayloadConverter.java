package io.fila.template;

import java.lang.reflect.Type;

import io.fila.client.Payload;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Text and bytes go as they are, everything else as JSON. A received body becomes text or bytes if that is asked for, whatever its
 * kind, and is read as JSON otherwise.
 */
public final class JsonPayloadConverter implements PayloadConverter {

    private final JsonMapper mapper;

    public JsonPayloadConverter(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public Payload toPayload(Object object) {
        if (object instanceof Payload payload) {
            return payload;
        }
        if (object instanceof CharSequence text) {
            return Payload.text(text.toString());
        }
        if (object instanceof byte[] bytes) {
            return Payload.bytes(bytes);
        }
        try {
            return new Payload(mapper.writeValueAsBytes(object), Payload.Kind.JSON);
        } catch (JacksonException e) {
            throw new PayloadConversionException(
                    "a " + object.getClass().getName() + " cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public Object fromPayload(Payload payload, Type type) {
        if (type == Payload.class) {
            return payload;
        }
        if (type == String.class || type == CharSequence.class) {
            return payload.asText();
        }
        if (type == byte[].class) {
            return payload.bytes();
        }
        Object value;
        try {
            value = mapper.readValue(payload.bytes(), mapper.constructType(type));
        } catch (JacksonException e) {
            throw new PayloadConversionException(
                    "the " + payload.kind() + " payload is no JSON for " + type.getTypeName() + ": "
                            + e.getOriginalMessage(),
                    e);
        }
        if (value == null) {
            throw new PayloadConversionException(
                    "the payload is null where a " + type.getTypeName() + " is expected", null);
        }
        return value;
    }
}
