package io.fila.broker.admin;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.http.codec.CodecCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes WebFlux write this API's answers with a mapper of their own, which leaves that of the actuator as it is. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RestProperties.class)
class RestConfiguration {

    @Bean
    CodecCustomizer answerCodec() {
        return configurer -> configurer.customCodecs().register(new AnswerEncoder());
    }
}
