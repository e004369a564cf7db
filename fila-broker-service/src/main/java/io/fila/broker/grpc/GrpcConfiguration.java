package io.fila.broker.grpc;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the gRPC services share. */
@Configuration(proxyBeanMethods = false)
class GrpcConfiguration {

    /** Few (application.yml counts them): who administers waits rather than those who deliver. Permits, which callers hurry for, have a pool of their own. */
    private static final int THREADS = 2;

    private static final int WAITING = 256;

    /** Of calls that take as long as there are messages, and would keep an application that declares its queues from starting. */
    private static final int LONG_THREADS = 1;

    private static final int LONG_WAITING = 16;

    @Bean
    BlockingCalls administration() {
        return new BlockingCalls("fila-admin-grpc-", THREADS, WAITING);
    }

    @Bean
    BlockingCalls removal() {
        return new BlockingCalls("fila-removal-grpc-", LONG_THREADS, LONG_WAITING);
    }
}
