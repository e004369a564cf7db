package io.fila.broker.problem;

import java.util.regex.Pattern;

/** The one rule for names of queues, throttles and consumers. */
public final class Names {

    private static final int MAX_SHOWN = 100;

    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");

    private Names() {}

    /** Returns the name, or throws {@code invalid-request} naming the field. */
    public static String require(String field, String name) {
        if (!ALLOWED.matcher(name).matches()) {
            throw ProblemException.invalid(
                    "%s: expected 1 to 200 letters, digits, '.', '_' or '-', beginning with a letter or digit; got '%s'"
                            .formatted(field, shown(name)));
        }
        return name;
    }

    /** A caller's text as it may stand in a message: cut, without control characters. */
    public static String shown(String text) {
        String cut = text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
