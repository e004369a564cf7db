package io.fila.broker.message;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Maps of text to text as the database stores them: JSON objects, or null for an empty one. */
public final class TextMaps {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final TypeReference<LinkedHashMap<String, String>> TYPE = new TypeReference<>() {};

    private TextMaps() {}

    static @Nullable String toJson(Map<String, String> map) {
        return map.isEmpty() ? null : JSON.writeValueAsString(map);
    }

    /** Reads what {@link #toJson} wrote. */
    public static Map<String, String> fromJson(@Nullable String json) {
        return json == null ? Map.of() : JSON.readValue(json, TYPE);
    }
}
