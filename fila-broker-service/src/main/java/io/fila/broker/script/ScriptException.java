package io.fila.broker.script;

/** A script did not answer. The message is for people to read: where it failed, and why; it names nothing that is Java's. */
public final class ScriptException extends Exception {

    private static final long serialVersionUID = 1L;
    private static final int LONGEST = 1_000;

    /** Why there is no answer. */
    public enum Kind {
        /** It ended with an error, or with an answer that is none. */
        FAILED,
        /** It had used up its time, its memory or its steps. */
        TIMED_OUT
    }

    private final Kind kind;

    ScriptException(Kind kind, String message) {
        super(LuaText.shown(message, LONGEST), null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
