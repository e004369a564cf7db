package io.fila.broker.admin;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.http.MediaType;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.util.MimeType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes {@link Answer}s, alone or in lists, and nothing else. */
class AnswerEncoder extends JacksonJsonEncoder {

    /** Properties in the order of the record, nulls included. */
    static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    AnswerEncoder() {
        super(MAPPER, MediaType.APPLICATION_JSON);
    }

    @Override
    public boolean canEncode(ResolvableType type, @Nullable MimeType mimeType) {
        boolean answers = Answer.class.isAssignableFrom(type.toClass())
                || Answer.class.isAssignableFrom(
                        type.asCollection().getGeneric().toClass());
        return answers && super.canEncode(type, mimeType);
    }
}
