package io.fila.autoconfigure;

import io.fila.client.FilaAdmin;
import io.fila.client.FilaClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The connection to the broker, and its administration. */
@AutoConfiguration
@EnableConfigurationProperties(FilaClientProperties.class)
public final class FilaClientAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    FilaClient filaClient(FilaClientProperties properties) {
        return FilaClient.builder()
                .address(properties.address())
                .token(properties.tokenOrNull())
                .requestTimeout(properties.requestTimeout())
                .tls(properties.tls())
                .build();
    }

    @Bean
    @ConditionalOnMissingBean
    FilaAdmin filaAdmin(FilaClient client) {
        return client.admin();
    }
}
