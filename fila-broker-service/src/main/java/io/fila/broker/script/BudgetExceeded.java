package io.fila.broker.script;

/**
 * Ends a run that has used up its budget. An error, since a script can catch what is none; without a stack trace, since it is thrown
 * often.
 */
final class BudgetExceeded extends Error {

    private static final long serialVersionUID = 1L;

    BudgetExceeded(String what) {
        super(what, null, false, false);
    }
}
