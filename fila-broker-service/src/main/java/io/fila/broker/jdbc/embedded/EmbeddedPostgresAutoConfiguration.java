package io.fila.broker.jdbc.embedded;

import javax.sql.DataSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/**
 * Brings a PostgreSQL along where none is configured. It is an auto-configuration, although in the application itself,
 * so that it looks for other connection details after everybody has had the chance to define some.
 */
@AutoConfiguration(before = DataSourceAutoConfiguration.class)
@EnableConfigurationProperties(EmbeddedPostgresProperties.class)
class EmbeddedPostgresAutoConfiguration {

    @Bean
    @Conditional(NoDatabaseConfigured.class)
    @ConditionalOnMissingBean({JdbcConnectionDetails.class, DataSource.class})
    EmbeddedPostgres embeddedPostgres(EmbeddedPostgresProperties properties) {
        return EmbeddedPostgres.start(properties);
    }

    /** An empty property, which is what an empty environment variable becomes, is none. */
    static class NoDatabaseConfigured extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            for (String key : new String[] {"spring.datasource.url", "spring.datasource.jndi-name"}) {
                if (StringUtils.hasText(context.getEnvironment().getProperty(key))) {
                    return ConditionOutcome.noMatch(
                            ConditionMessage.forCondition("Embedded PostgreSQL").because(key + " is set"));
                }
            }
            return ConditionOutcome.match();
        }
    }
}
