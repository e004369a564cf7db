package io.fila.broker.message;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;

/** Buckets cannot be closed as a consumer asked; nothing of its call was done, and it may settle the leases in another way. */
public final class ClosingRefusedException extends ProblemException {

    ClosingRefusedException(String detail) {
        super(ProblemCode.INVALID_REQUEST, detail);
    }
}
