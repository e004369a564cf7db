package io.fila.broker.problem;

import java.util.UUID;
import java.util.regex.Pattern;

/** UUIDs in their full form only: {@link UUID#fromString} alone would take {@code 1-1-1-1-1} too. */
public final class Ids {

    private static final Pattern FORM = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    private Ids() {}

    /** Parses, or throws {@code invalid-request} naming the field. */
    public static UUID parse(String field, String text) {
        if (!FORM.matcher(text).matches()) {
            throw ProblemException.invalid("%s: expected a UUID, got '%s'".formatted(field, Names.shown(text)));
        }
        return UUID.fromString(text);
    }
}
