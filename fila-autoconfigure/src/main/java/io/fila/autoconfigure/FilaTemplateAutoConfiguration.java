package io.fila.autoconfigure;

import io.fila.client.FilaClient;
import io.fila.template.FilaTemplate;
import io.fila.template.JsonPayloadConverter;
import io.fila.template.PayloadConverter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;

/** Sending, and the conversion of payloads. */
@AutoConfiguration(
        after = FilaClientAutoConfiguration.class,
        afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
public final class FilaTemplateAutoConfiguration {

    /** Uses the application's mapper, so that messages look like its other JSON. */
    @Bean
    @ConditionalOnMissingBean
    PayloadConverter filaPayloadConverter(ObjectProvider<JsonMapper> mapper) {
        return new JsonPayloadConverter(
                mapper.getIfAvailable(() -> JsonMapper.builder().build()));
    }

    @Bean
    @ConditionalOnMissingBean
    FilaTemplate filaTemplate(FilaClient client, PayloadConverter converter) {
        return new FilaTemplate(client, converter);
    }
}
