package io.fila.sample.provider;

/** The provider has dropped the message, for it arrived too soon after others. */
public class MessageDroppedException extends Exception {

    MessageDroppedException() {
        super("the provider answered 429: it has dropped the message");
    }
}
