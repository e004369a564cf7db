package io.fila.broker.security;

import io.fila.broker.problem.ProblemCode;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.grpc.server.GlobalServerInterceptor;
import org.springframework.stereotype.Component;

/** Lets gRPC calls in that carry the credential: of every service, the health service and reflection too. */
@Component
@GlobalServerInterceptor
@Order(Ordered.HIGHEST_PRECEDENCE)
class AuthenticationInterceptor implements ServerInterceptor {

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> CODE = Metadata.Key.of("fila-code", Metadata.ASCII_STRING_MARSHALLER);

    private final Credentials credentials;

    AuthenticationInterceptor(Credentials credentials) {
        this.credentials = credentials;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (credentials.accept(headers.get(AUTHORIZATION))) {
            return next.startCall(call, headers);
        }
        Metadata trailers = new Metadata();
        trailers.put(CODE, ProblemCode.UNAUTHENTICATED.slug());
        call.close(ProblemCode.UNAUTHENTICATED.grpcStatus().toStatus().withDescription(Credentials.REFUSAL), trailers);
        return new ServerCall.Listener<>() {};
    }
}
