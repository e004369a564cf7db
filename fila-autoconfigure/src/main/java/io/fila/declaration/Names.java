package io.fila.declaration;

import java.util.regex.Pattern;

/** The rule for names of queues, throttles and consumers. */
public final class Names {

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");

    private Names() {}

    /** Returns the name, or refuses it; {@code subject} says what it names. */
    public static String check(String subject, String name) {
        if (!VALID.matcher(name).matches()) {
            throw new InvalidDeclarationException(
                    "'" + name + "' is no name for a " + subject,
                    "use 1 to 200 letters, digits, '.', '_' and '-', beginning with a letter or digit");
        }
        return name;
    }
}
