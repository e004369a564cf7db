package io.fila.broker.grpc;

import java.io.InputStream;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fila.broker.problem.ProblemException;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses bytes that are no message of the method's request type as {@code invalid-request}. By itself gRPC takes them for a fault
 * of the server: it reads a request before any handler or interceptor sees it, logs what went wrong as an error and answers
 * {@code UNKNOWN}. So what is read here never fails: unreadable bytes become an {@link Unreadable} request, which ends the call
 * where a request would have been handed to it.
 */
final class ReadableRequests {

    private static final Logger log = LoggerFactory.getLogger(ReadableRequests.class);

    private ReadableRequests() {}

    /** The service with every method's requests read like that. */
    static ServerServiceDefinition of(ServerServiceDefinition service) {
        ServiceDescriptor.Builder descriptor = ServiceDescriptor.newBuilder(
                        service.getServiceDescriptor().getName())
                .setSchemaDescriptor(service.getServiceDescriptor().getSchemaDescriptor());
        var methods = service.getMethods().stream().map(ReadableRequests::of).toList();
        methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
        ServerServiceDefinition.Builder readable = ServerServiceDefinition.builder(descriptor.build());
        methods.forEach(readable::addMethod);
        return readable.build();
    }

    private static <Q, A> ServerMethodDefinition<Object, A> of(ServerMethodDefinition<Q, A> method) {
        MethodDescriptor<Q, A> descriptor = method.getMethodDescriptor();
        return ServerMethodDefinition.create(
                descriptor.toBuilder(new TolerantMarshaller<>(descriptor), descriptor.getResponseMarshaller())
                        .build(),
                new Handler<>(method.getServerCallHandler()));
    }

    /** Bytes that are no request, and why. */
    private record Unreadable(String why) {}

    private record TolerantMarshaller<Q>(MethodDescriptor<Q, ?> method) implements MethodDescriptor.Marshaller<Object> {

        @Override
        public InputStream stream(Object request) {
            throw new UnsupportedOperationException("a server sends no requests");
        }

        @Override
        public Object parse(InputStream bytes) {
            try {
                return method.parseRequest(bytes);
            } catch (StatusRuntimeException e) {
                if (e.getCause() instanceof InvalidProtocolBufferException cause) {
                    log.debug("unreadable request of {}", method.getFullMethodName(), cause);
                    return new Unreadable(String.valueOf(cause.getMessage()));
                }
                // what gRPC itself refuses: too large, or compressed wrongly
                throw e;
            }
        }
    }

    private record Handler<Q, A>(ServerCallHandler<Q, A> handler) implements ServerCallHandler<Object, A> {

        @Override
        @SuppressWarnings("unchecked") // a call is given no requests: the type only says which its listener takes
        public ServerCall.Listener<Object> startCall(ServerCall<Object, A> call, Metadata headers) {
            return new Listener<>(call, handler.startCall((ServerCall<Q, A>) (ServerCall<?, A>) call, headers));
        }
    }

    /** Hands readable requests on; the first that is not ends the call, and nothing of it is handed on any more. */
    private static final class Listener<Q> extends ServerCall.Listener<Object> {

        private final ServerCall<?, ?> call;
        private final ServerCall.Listener<Q> service;
        private boolean refused;

        Listener(ServerCall<?, ?> call, ServerCall.Listener<Q> service) {
            this.call = call;
            this.service = service;
        }

        @Override
        @SuppressWarnings("unchecked") // read by the method's own marshaller
        public void onMessage(Object request) {
            if (refused) {
                return;
            }
            if (request instanceof Unreadable unreadable) {
                refused = true;
                // first, so that no other thread sends anything by a call that is closed
                service.onCancel();
                StatusRuntimeException problem = GrpcProblems.of(ProblemException.invalid(
                        "request: expected a message as fila.proto describes it, but its bytes could not be read: "
                                + unreadable.why()));
                Metadata trailers = problem.getTrailers();
                call.close(problem.getStatus(), trailers == null ? new Metadata() : trailers);
            } else {
                service.onMessage((Q) request);
            }
        }

        @Override
        public void onHalfClose() {
            if (!refused) {
                service.onHalfClose();
            }
        }

        @Override
        public void onCancel() {
            if (!refused) {
                service.onCancel();
            }
        }

        @Override
        public void onComplete() {
            if (!refused) {
                service.onComplete();
            }
        }

        @Override
        public void onReady() {
            if (!refused) {
                service.onReady();
            }
        }
    }
}
