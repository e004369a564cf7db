package io.fila.autoconfigure;

import io.fila.client.FilaClient;
import io.fila.throttle.FilaThrottles;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Permits of throttles, for what is no listener. */
@AutoConfiguration(after = FilaClientAutoConfiguration.class)
public final class FilaThrottlesAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    FilaThrottles filaThrottles(FilaClient client) {
        return new FilaThrottles(client);
    }
}
