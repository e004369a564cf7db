package io.fila.broker.admin;

/** Where this version of the API lives. */
final class Api {

    static final String V1 = "/api/v1";

    private Api() {}
}
