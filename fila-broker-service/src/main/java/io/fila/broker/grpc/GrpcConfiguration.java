package io.fila.broker.grpc;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the gRPC services share. */
@Configuration(proxyBeanMethods = false)
class GrpcConfiguration {

    /** Few: who administers waits rather than those who deliver. Permits, which callers hurry for, have a pool of their own. */
    private static final int THREADS = 4;

    private static final int WAITING = 256;

    @Bean
    BlockingCalls administration() {
        return new BlockingCalls("fila-admin-grpc-", THREADS, WAITING);
    }
}
