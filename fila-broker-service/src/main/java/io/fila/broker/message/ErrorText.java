package io.fila.broker.message;

/** What is kept of what a consumer says of a failure: handlers fail with any text, and none may keep its message from being settled. */
final class ErrorText {

    private static final int MAX_LENGTH = 2_000;
    private static final char REPLACEMENT = '\uFFFD';

    private ErrorText() {}

    /** Cut, and without what PostgreSQL's text cannot hold: NUL, and halves of surrogate pairs. */
    static String storable(String error) {
        StringBuilder text =
                new StringBuilder(error.length() <= MAX_LENGTH ? error : error.substring(0, MAX_LENGTH - 1) + "…");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                text.setCharAt(i, REPLACEMENT);
            }
        }
        return text.toString();
    }
}
