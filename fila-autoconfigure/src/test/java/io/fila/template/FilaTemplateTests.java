package io.fila.template;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.client.OutgoingMessage;
import io.fila.fake.FakeClient;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FilaTemplateTests {

    private final FakeClient client = new FakeClient();
    private final FilaTemplate template = new FilaTemplate(
            client, new JsonPayloadConverter(JsonMapper.builder().build()));

    @Test
    void sendsWithEveryOption() {
        String id = UUID.randomUUID().toString();
        SendOptions options = SendOptions.builder()
                .header("customer", "acme")
                .headers(Map.of("region", "eu"))
                .fairnessKey("t1")
                .weight(3)
                .delay(Duration.ofSeconds(5))
                .id(id)
                .build();
        assertThat(template.send("orders", "hello", options).id()).isEqualTo(id);

        OutgoingMessage message = client.sent.get(0).message();
        assertThat(client.sent.get(0).queue()).isEqualTo("orders");
        assertThat(message.payload().asText()).isEqualTo("hello");
        assertThat(message.headers()).containsOnly(Map.entry("customer", "acme"), Map.entry("region", "eu"));
        assertThat(message.fairnessKey()).isEqualTo("t1");
        assertThat(message.weight()).isEqualTo(3);
        assertThat(message.delay()).isEqualTo(Duration.ofSeconds(5));
        assertThat(message.id()).isEqualTo(id);
    }

    @Test
    void sendsSeveralInOrder() {
        assertThat(template.sendAll("orders", List.of("a", "b"))).hasSize(2);
        assertThat(template.sendAllAsync("orders", List.of("c")).join()).hasSize(1);
        assertThat(template.sendAsync("orders", "d").join().duplicate()).isFalse();
        assertThat(client.sent)
                .extracting(sent -> sent.message().payload().asText())
                .containsExactly("a", "b", "c", "d");
    }

    @Test
    void refusesOneIdForSeveralMessages() {
        SendOptions options =
                SendOptions.builder().id(UUID.randomUUID().toString()).build();
        assertThatThrownBy(() -> template.sendAll("orders", List.of("a", "b"), options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one id is given for 2 messages");
    }

    @Test
    void refusesContradictingOptions() {
        assertThatThrownBy(() -> SendOptions.builder().weight(0).build()).hasMessageContaining("weight is 0");
        assertThatThrownBy(() -> SendOptions.builder()
                        .delay(Duration.ZERO)
                        .notBefore(Instant.EPOCH)
                        .build())
                .hasMessageContaining("at most one");
    }
}
