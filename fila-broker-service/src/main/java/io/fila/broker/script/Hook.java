package io.fila.broker.script;

/** What a script is run for. */
public enum Hook {
    ON_ENQUEUE("on_enqueue"),
    ON_FAILURE("on_failure");

    private final String functionName;

    Hook(String functionName) {
        this.functionName = functionName;
    }

    /** The function that a script defines. */
    public String functionName() {
        return functionName;
    }
}
