package io.fila.autoconfigure;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.fila.client.FilaClient;
import io.fila.client.QueueSpec;
import io.fila.declaration.InvalidDeclarationException;
import io.fila.declaration.QueueDeclarer;
import io.fila.declaration.ThrottleDefinitions;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Throttles and queues that the application defines. */
@AutoConfiguration(after = FilaClientAutoConfiguration.class)
@EnableConfigurationProperties(FilaDeclarationProperties.class)
public final class FilaDeclarationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ThrottleDefinitions filaThrottleDefinitions(FilaDeclarationProperties properties) {
        return properties.throttleDefinitions();
    }

    /** Declares the queues of {@code fila.queues.*} and the {@link QueueSpec} beans. */
    @Bean
    @ConditionalOnMissingBean
    QueueDeclarer filaQueueDeclarer(
            FilaClient client, FilaDeclarationProperties properties, ObjectProvider<QueueSpec> beans) {
        List<QueueSpec> queues = new ArrayList<>(properties.queueSpecs());
        beans.orderedStream().forEach(queues::add);
        Set<String> names = new HashSet<>();
        for (QueueSpec queue : queues) {
            if (!names.add(queue.name())) {
                throw new InvalidDeclarationException(
                        "queue '" + queue.name() + "' is declared twice, by QueueSpec beans or fila.queues."
                                + queue.name(),
                        "keep one of them");
            }
        }
        return new QueueDeclarer(client, queues);
    }
}
