package io.fila.broker.security;

import java.net.InetAddress;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Refuses to start an open broker where others can reach it. It looks before any bean exists, so that no port is open and
 * no database started by then. An unset address is every address.
 */
class ExposureCheck implements BeanFactoryPostProcessor {

    private final Environment environment;

    ExposureCheck(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        if (StringUtils.hasText(environment.getProperty("fila.broker.security.admin-token"))) {
            return;
        }
        if (listensOn("server.port")) {
            requireLoopback("server.address");
        }
        if (environment.getProperty("spring.grpc.server.enabled", Boolean.class, true)
                && listensOn("spring.grpc.server.port")) {
            requireLoopback("spring.grpc.server.address");
        }
        if (StringUtils.hasText(environment.getProperty("management.server.port"))
                && listensOn("management.server.port")) {
            requireLoopback("management.server.address");
        }
    }

    /** A negative port switches a server off. */
    private boolean listensOn(String port) {
        return environment.getProperty(port, Integer.class, 0) >= 0;
    }

    private void requireLoopback(String property) {
        @Nullable InetAddress address =
                Binder.get(environment).bind(property, InetAddress.class).orElse(null);
        if (address != null && address.isLoopbackAddress()) {
            return;
        }
        String where = address == null ? "every address" : address.getHostAddress();
        throw new FailureAnalyzedException(
                "The broker would listen on %s (%s), where other machines can reach it, but no credential is configured."
                        .formatted(where, property),
                "Set fila.broker.security.admin-token to a long random string, or %s to 127.0.0.1."
                        .formatted(property));
    }
}
