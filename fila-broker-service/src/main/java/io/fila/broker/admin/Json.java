package io.fila.broker.admin;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** What counts as JSON here: RFC 8259 in UTF-8, at most {@value #MAX_DEPTH} levels deep, numbers of any length. */
final class Json {

    static final int MAX_DEPTH = 200;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private Json() {}

    static JsonParser parser(byte[] utf8) {
        return FACTORY.createParser(ObjectReadContext.empty(), utf8);
    }

    /** The text if the bytes are one JSON value, else null. */
    static @Nullable String valid(byte[] bytes) {
        String text = utf8(bytes);
        if (text == null || firstByteThatDoesNotFit(bytes) >= 0) {
            return null;
        }
        try (JsonParser parser = parser(bytes)) {
            boolean value = parser.nextToken() != null;
            parser.skipChildren();
            return value && parser.nextToken() == null ? text : null;
        } catch (JacksonException e) {
            return null;
        }
    }

    /** The text if the bytes are UTF-8, else null. */
    static @Nullable String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /**
     * Which byte shows that these are not JSON in UTF-8, or -1: one that UTF-8 does not have there, or a NUL at the beginning,
     * which UTF-16 and UTF-32 have. Needs no memory in proportion to the bytes.
     */
    static int firstByteThatDoesNotFit(byte[] bytes) {
        for (int i = 0; i < Math.min(4, bytes.length); i++) {
            if (bytes[i] == 0) {
                return i;
            }
        }
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(8192);
        CoderResult result = CoderResult.OVERFLOW;
        while (result.isOverflow()) {
            out.clear();
            result = decoder.decode(in, out, true);
        }
        return result.isError() ? in.position() : -1;
    }

    /** Whether a surrogate stands without its other half, which UTF-8 cannot express. */
    static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return true;
            }
        }
        return false;
    }
}
