package io.fila.autoconfigure;

import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

import io.fila.client.FilaClient;
import io.fila.declaration.QueueDeclarer;
import io.fila.listener.DefaultFilaListenerContainerFactory;
import io.fila.listener.FilaListenerAnnotationBeanPostProcessor;
import io.fila.listener.FilaListenerContainerFactory;
import io.fila.listener.FilaListenerEndpointRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** Receiving with {@link io.fila.listener.FilaListener}. */
@AutoConfiguration(after = {FilaTemplateAutoConfiguration.class, FilaDeclarationAutoConfiguration.class})
@EnableConfigurationProperties(FilaListenerProperties.class)
public final class FilaListenerAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    static FilaListenerAnnotationBeanPostProcessor filaListenerAnnotationBeanPostProcessor() {
        return new FilaListenerAnnotationBeanPostProcessor();
    }

    @Bean
    @ConditionalOnMissingBean
    FilaListenerEndpointRegistry filaListenerEndpointRegistry(QueueDeclarer queues) {
        return new FilaListenerEndpointRegistry(queues.declared());
    }

    @Bean(FilaListenerAnnotationBeanPostProcessor.DEFAULT_FACTORY)
    @ConditionalOnMissingBean(name = FilaListenerAnnotationBeanPostProcessor.DEFAULT_FACTORY)
    FilaListenerContainerFactory filaListenerContainerFactory(
            FilaClient client, FilaListenerProperties properties, Environment environment) {
        return new DefaultFilaListenerContainerFactory(client, properties.settings(), threads(environment));
    }

    private static Function<String, ThreadFactory> threads(Environment environment) {
        return Threading.VIRTUAL.isActive(environment)
                ? prefix -> new VirtualThreadTaskExecutor(prefix).getVirtualThreadFactory()
                : CustomizableThreadFactory::new;
    }
}
