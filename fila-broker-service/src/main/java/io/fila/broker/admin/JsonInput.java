package io.fila.broker.admin;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

import io.fila.broker.problem.Durations;
import io.fila.broker.problem.Ids;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A body being read, strictly: each method takes the current value if it is of that type, and else refuses it with its path.
 * Nothing is converted. Values that no field asks for are never built, so a hostile body costs no more than its bytes.
 */
final class JsonInput {

    private static final int LONGEST_NUMBER = 40;

    private final byte[] source;
    private final JsonParser parser;
    private final JsonPath path;
    private final boolean nullMeansAbsent;

    /**
     * @param root what elements of a top-level array are called in problems
     * @param nullMeansAbsent whether {@code null} stands for a field that is not there, unless it is a value of it
     */
    JsonInput(byte[] source, JsonParser parser, String root, boolean nullMeansAbsent) {
        this.source = source;
        this.parser = parser;
        this.path = new JsonPath(parser, root);
        this.nullMeansAbsent = nullMeansAbsent;
    }

    /** An object that has no other fields than these. */
    Fields object(Field<?>... known) {
        expect(JsonToken.START_OBJECT, "an object");
        String at = path.toString();
        Map<String, @Nullable Object> values = new HashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            Field<?> field = known(known);
            if (values.containsKey(field.name())) {
                throw givenTwice();
            }
            boolean absent = parser.nextToken() == JsonToken.VALUE_NULL && nullMeansAbsent && !field.takesNull();
            values.put(field.name(), absent ? null : field.reader().apply(this));
        }
        return new Fields(at, values);
    }

    private Field<?> known(Field<?>[] known) {
        String name = parser.currentName();
        return Arrays.stream(known)
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow(() -> ProblemException.invalid("%s: there is no such field here; allowed: %s"
                        .formatted(
                                path(),
                                known.length == 0
                                        ? "none"
                                        : String.join(
                                                ", ",
                                                Arrays.stream(known)
                                                        .map(Field::name)
                                                        .toList()))));
    }

    /** An array; {@code element} reads each element. */
    <T> List<T> array(int max, Function<JsonInput, T> element) {
        expect(JsonToken.START_ARRAY, "an array");
        String at = path();
        List<T> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (elements.size() == max) {
                throw ProblemException.invalid("%s: expected at most %d elements, got more".formatted(at, max));
            }
            elements.add(element.apply(this));
        }
        return elements;
    }

    boolean isArray() {
        return parser.currentToken() == JsonToken.START_ARRAY;
    }

    boolean isNull() {
        return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    boolean isString() {
        return parser.currentToken() == JsonToken.VALUE_STRING;
    }

    /** A string that a database and UTF-8 can hold. */
    String text() {
        String text = unicodeText();
        if (text.indexOf(0) >= 0) {
            throw ProblemException.invalid(path() + ": expected text without NUL characters (U+0000), got one");
        }
        return text;
    }

    /** A string that UTF-8 can hold, NUL characters included. */
    String unicodeText() {
        expect(JsonToken.VALUE_STRING, "a string");
        String text = parser.getString();
        if (Json.hasLoneSurrogate(text)) {
            throw ProblemException.invalid(
                    path() + ": expected Unicode text, got a surrogate (U+D800 to U+DFFF) without its other half");
        }
        return text;
    }

    /** An object of strings, in the order given. */
    Map<String, String> texts() {
        expect(JsonToken.START_OBJECT, "an object of strings");
        String at = path();
        Map<String, String> texts = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            if (name.indexOf(0) >= 0) {
                throw ProblemException.invalid(at + ": expected names without NUL characters (U+0000), got one");
            }
            parser.nextToken();
            if (texts.put(name, text()) != null) {
                throw givenTwice();
            }
        }
        return texts;
    }

    Duration duration() {
        return Durations.parse(path(), text());
    }

    Instant instant() {
        String text = text();
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw ProblemException.invalid("%s: expected an instant such as 2030-01-31T12:00:00Z, got '%s'"
                    .formatted(path(), Names.shown(text)));
        }
    }

    UUID uuid() {
        return Ids.parse(path(), text());
    }

    boolean bool() {
        if (parser.currentToken() != JsonToken.VALUE_TRUE && parser.currentToken() != JsonToken.VALUE_FALSE) {
            throw wrongType("true or false");
        }
        return parser.getBooleanValue();
    }

    /** A number without fraction and exponent, both bounds allowed. */
    long wholeNumber(long min, long max) {
        expect(JsonToken.VALUE_NUMBER_INT, "a whole number");
        if (parser.getStringLength() <= LONGEST_NUMBER) {
            try {
                long number = Long.parseLong(parser.getString());
                if (number >= min && number <= max) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // longer than a long: said below
            }
        }
        throw ProblemException.invalid("%s: expected %d to %d, got %s".formatted(path(), min, max, given()));
    }

    double number() {
        if (!parser.currentToken().isNumeric() || parser.getStringLength() > LONGEST_NUMBER) {
            throw wrongType("a number");
        }
        return Double.parseDouble(parser.getString());
    }

    /** Any value, exactly as it is written in the body. */
    byte[] raw() {
        int start = Math.toIntExact(parser.currentTokenLocation().getByteOffset());
        parser.skipChildren();
        parser.finishToken();
        return Arrays.copyOfRange(
                source, start, Math.toIntExact(parser.currentLocation().getByteOffset()));
    }

    /** Where the current value is, such as {@code messages[3].headers.customer}. */
    String path() {
        return path.isRoot() ? "body" : path.toString();
    }

    ProblemException wrongType(String expected) {
        return ProblemException.invalid("%s: expected %s, got %s".formatted(path(), expected, given()));
    }

    private void expect(JsonToken token, String expected) {
        if (parser.currentToken() != token) {
            throw wrongType(expected);
        }
    }

    private ProblemException givenTwice() {
        return ProblemException.invalid(path() + ": expected once, given twice");
    }

    private String given() {
        return switch (parser.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "the string '" + Names.shown(parser.getString()) + "'";
            default -> Names.shown(parser.getString());
        };
    }
}
