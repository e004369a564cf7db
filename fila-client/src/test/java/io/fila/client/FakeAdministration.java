package io.fila.client;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import com.google.protobuf.Message;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;

/** What a fake broker is asked to administer, and what it answers: as the test says. */
final class FakeAdministration {

    final List<Message> requests = new CopyOnWriteArrayList<>();
    volatile Function<Message, Message> answer = request -> {
        throw Status.UNIMPLEMENTED.asRuntimeException();
    };

    @SuppressWarnings("unchecked") // the test gives an answer of the method's type
    <A> void administer(Message request, StreamObserver<A> response) {
        requests.add(request);
        try {
            response.onNext((A) answer.apply(request));
            response.onCompleted();
        } catch (StatusRuntimeException refusal) {
            response.onError(refusal);
        }
    }

    Message last() {
        return requests.get(requests.size() - 1);
    }
}
