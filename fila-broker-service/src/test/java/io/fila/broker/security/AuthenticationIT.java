package io.fila.broker.security;

import io.fila.broker.TestDatabase;
import io.grpc.BindableService;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@SpringBootTest(
        classes = AuthenticationIT.Servers.class,
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"spring.grpc.server.port=0", "fila.broker.security.admin-token=s3cret"})
class AuthenticationIT {

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> CODE = Metadata.Key.of("fila-code", Metadata.ASCII_STRING_MARSHALLER);

    @Value("${local.server.port}")
    int httpPort;

    @Autowired
    GrpcServerLifecycle grpc;

    private WebTestClient http;
    private ManagedChannel channel;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        registry.add("spring.datasource.url", TestDatabase::create);
    }

    @BeforeEach
    void connect() {
        http = WebTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + httpPort)
                .build();
        channel = ManagedChannelBuilder.forAddress("127.0.0.1", grpc.getPort())
                .usePlaintext()
                .build();
    }

    @AfterEach
    void disconnect() {
        channel.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness"})
    void letsProbesIn(String path) {
        http.get()
                .uri(path)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.status")
                .isEqualTo("UP")
                .jsonPath("$.components")
                .doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/api/v1/queues", "/actuator", "/actuator/prometheus", "/actuator/healthy", "/no-such-thing"
            })
    void refusesRequestsWithoutTheToken(String path) {
        http.get()
                .uri(path)
                .header(HttpHeaders.AUTHORIZATION, "Bearer guess")
                .exchange()
                .expectStatus()
                .isUnauthorized()
                .expectHeader()
                .valueEquals(HttpHeaders.WWW_AUTHENTICATE, "Bearer")
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.code")
                .isEqualTo("unauthenticated")
                .jsonPath("$.instance")
                .isEqualTo(path)
                .jsonPath("$.status")
                .isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator/health/../prometheus", "/actuator/health;x=1/../prometheus"})
    void givesProbesNothingElse(String path) {
        http.get().uri(path).exchange().expectStatus().isNotFound();
    }

    @Test
    void letsRequestsInThatHaveTheToken() {
        http.get()
                .uri("/actuator/prometheus")
                .header(HttpHeaders.AUTHORIZATION, "Bearer s3cret")
                .exchange()
                .expectStatus()
                .isOk();
    }

    @Test
    void refusesCallsWithoutTheToken() {
        var health = HealthGrpc.newBlockingStub(channel);

        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(() -> health.check(HealthCheckRequest.getDefaultInstance()))
                .satisfies(e -> {
                    assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
                    assertThat(Status.trailersFromThrowable(e).get(CODE)).isEqualTo("unauthenticated");
                });
    }

    @Test
    void letsCallsInThatHaveTheToken() {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer s3cret");
        var health = HealthGrpc.newBlockingStub(
                ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers)));

        assertThat(health.check(HealthCheckRequest.getDefaultInstance()).getStatus())
                .isEqualTo(ServingStatus.SERVING);
    }

    /** Both servers and this package: what is behind the door does not matter here. */
    @EnableAutoConfiguration
    @ComponentScan
    static class Servers {

        /** There is no gRPC server without a service, nor the health service that is called here. */
        @Bean
        BindableService anyService() {
            return () -> ServerServiceDefinition.builder("fila.test.Any").build();
        }
    }
}
