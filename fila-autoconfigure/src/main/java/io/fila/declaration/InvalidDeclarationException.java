package io.fila.declaration;

/** A listener, throttle or queue is declared in a way that cannot work. Start fails with the reason and what to do about it. */
public class InvalidDeclarationException extends RuntimeException {

    private final String reason;
    private final String remedy;

    public InvalidDeclarationException(String reason, String remedy) {
        super(reason + "; " + remedy);
        this.reason = reason;
        this.remedy = remedy;
    }

    /** What is wrong, and where. */
    public String reason() {
        return reason;
    }

    /** What would make it right. */
    public String remedy() {
        return remedy;
    }

    /** The same complaint, with the place in front. */
    public InvalidDeclarationException at(String place) {
        return new InvalidDeclarationException(place + ": " + reason, remedy);
    }
}
