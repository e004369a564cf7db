package io.fila.broker.jdbc.embedded;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import io.fila.broker.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedPostgresAutoConfigurationIT {

    @TempDir
    Path parent;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    EmbeddedPostgresAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    FlywayAutoConfiguration.class));

    @Test
    void feedsTheDataSourceWhereNoneIsConfigured() {
        withDataDir("data").run(context -> {
            try (Connection connection = context.getBean(DataSource.class).getConnection()) {
                assertThat(connection.getMetaData().getURL())
                        .isEqualTo(context.getBean(EmbeddedPostgres.class).getJdbcUrl());
            }
        });
    }

    @Test
    void isStillUpWhenTheLastUserOfTheDataSourceCloses() {
        LastUser[] user = new LastUser[1];
        withDataDir("data")
                .withUserConfiguration(LastUserConfiguration.class)
                .run(context -> user[0] = context.getBean(LastUser.class));

        assertThat(user[0].reachedTheDatabase).isTrue();
        assertThat(new DataDirectory(parent.resolve("data")).postmasterPid()).doesNotExist();
    }

    @Test
    void staysOutOfTheWayOfAConfiguredUrl() {
        withDataDir("unused")
                .withPropertyValues("spring.datasource.url=" + TestDatabase.create())
                .run(context ->
                        assertThat(context).hasSingleBean(DataSource.class).doesNotHaveBean(EmbeddedPostgres.class));
        assertThat(parent.resolve("unused")).doesNotExist();
    }

    @Test
    void staysOutOfTheWayOfOtherConnectionDetails() {
        withDataDir("unused")
                .withUserConfiguration(DetailsConfiguration.class)
                .run(context ->
                        assertThat(context).hasSingleBean(DataSource.class).doesNotHaveBean(EmbeddedPostgres.class));
        assertThat(parent.resolve("unused")).doesNotExist();
    }

    @Test
    void takesAnEmptyUrlForNone() {
        withDataDir("data")
                .withPropertyValues("spring.datasource.url=")
                .run(context -> assertThat(context).hasSingleBean(EmbeddedPostgres.class));
    }

    @Test
    void refusesAPortThatIsNone() {
        withDataDir("unused")
                .withPropertyValues("fila.broker.embedded.port=70000")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("port")
                        .hasMessageContaining("65535"));
    }

    private ApplicationContextRunner withDataDir(String name) {
        return runner.withPropertyValues("fila.broker.data-dir=" + parent.resolve(name));
    }

    @Configuration(proxyBeanMethods = false)
    static class LastUserConfiguration {

        @Bean(destroyMethod = "close")
        LastUser lastUser(DataSource dataSource) {
            return new LastUser(dataSource);
        }
    }

    static final class LastUser {

        private final DataSource dataSource;
        private boolean reachedTheDatabase;

        LastUser(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        void close() throws SQLException {
            try (Connection connection = dataSource.getConnection()) {
                reachedTheDatabase = connection.isValid(5);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DetailsConfiguration {

        @Bean
        JdbcConnectionDetails details() {
            String url = TestDatabase.create();
            return new JdbcConnectionDetails() {
                @Override
                public String getUsername() {
                    return "postgres";
                }

                @Override
                public String getPassword() {
                    return "";
                }

                @Override
                public String getJdbcUrl() {
                    return url;
                }
            };
        }
    }
}
