package io.fila.broker.admin;

import java.util.regex.Pattern;

import io.fila.broker.problem.ProblemException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/** What is said of a body that is not JSON. */
final class JsonProblems {

    /** Advice of the parser that concerns its configuration, not the body. */
    private static final Pattern ADVICE =
            Pattern.compile(": enable `.*|: maybe a \\(non-standard\\) comment.*| \\(for `.*|, from `[^`]*`");

    private JsonProblems() {}

    static void requireUtf8(byte[] body) {
        int bad = Json.firstByteThatDoesNotFit(body);
        if (bad >= 0) {
            throw ProblemException.invalid("body: expected JSON in UTF-8; byte %d does not fit".formatted(bad));
        }
    }

    static ProblemException malformed(JacksonException e, JsonParser parser, String path) {
        TokenStreamLocation at = e.getLocation() == null ? parser.currentLocation() : e.getLocation();
        String what = "malformed JSON";
        String why = ADVICE.matcher(e.getOriginalMessage()).replaceAll("");
        if (e instanceof StreamConstraintsException) {
            what = "JSON beyond limits";
        } else if (e instanceof UnexpectedEndOfInputException) {
            why = "it ends too early";
        }
        String where = path.equals("body") ? "" : ", at or after " + path;
        return ProblemException.invalid(
                "body: %s at line %d, column %d%s: %s".formatted(what, at.getLineNr(), at.getColumnNr(), where, why));
    }

    static ProblemException trailing(JsonParser parser) {
        TokenStreamLocation at = parser.currentTokenLocation();
        return ProblemException.invalid("body: expected one JSON value, but more follows at line %d, column %d"
                .formatted(at.getLineNr(), at.getColumnNr()));
    }
}
