package io.fila.broker.grpc;

import io.grpc.ServerServiceDefinition;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.grpc.server.GrpcServerFactory;
import org.springframework.grpc.server.service.DefaultGrpcServiceConfigurer;
import org.springframework.grpc.server.service.GrpcServiceSpec;
import org.springframework.stereotype.Component;

/** Binds every gRPC service, those that Spring brings too, with {@link ReadableRequests} beneath all interceptors. */
@Component
class ReadableServices extends DefaultGrpcServiceConfigurer {

    ReadableServices(ApplicationContext context) {
        super(context);
    }

    @Override
    public ServerServiceDefinition configure(GrpcServiceSpec service, @Nullable GrpcServerFactory factory) {
        return super.configure(
                new GrpcServiceSpec(() -> ReadableRequests.of(service.service().bindService()), service.serviceInfo()),
                factory);
    }
}
