package io.fila.broker.admin;

import java.util.function.Function;

import io.fila.broker.problem.ProblemException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;

/** Reads whole bodies: one JSON value in UTF-8, nothing before it, nothing behind it. */
final class JsonBody {

    private JsonBody() {}

    /** Reads the one object that the body is. */
    static <T> T read(byte[] body, Function<JsonInput, T> reader) {
        return read(body, "", true, reader);
    }

    /** Reads the one object that the body is; {@code null} is given to the fields of it, and most refuse it. */
    static <T> T readWithoutNulls(byte[] body, Function<JsonInput, T> reader) {
        return read(body, "", false, reader);
    }

    /** Reads the one value that the body is; elements of a top-level array are called {@code root[n]}. */
    static <T> T read(byte[] body, String root, Function<JsonInput, T> reader) {
        return read(body, root, true, reader);
    }

    private static <T> T read(byte[] body, String root, boolean nullMeansAbsent, Function<JsonInput, T> reader) {
        JsonProblems.requireUtf8(body);
        try (JsonParser parser = Json.parser(body)) {
            JsonInput input = new JsonInput(body, parser, root, nullMeansAbsent);
            try {
                if (parser.nextToken() == null) {
                    throw ProblemException.invalid("body: expected JSON, but it is empty");
                }
                T value = reader.apply(input);
                if (parser.nextToken() != null) {
                    throw JsonProblems.trailing(parser);
                }
                return value;
            } catch (JacksonException e) {
                throw JsonProblems.malformed(e, parser, input.path());
            }
        }
    }
}
