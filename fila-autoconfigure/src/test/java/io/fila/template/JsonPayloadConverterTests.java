package io.fila.template;

import java.util.List;

import io.fila.client.Payload;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class JsonPayloadConverterTests {

    record Charge(String customer, int cents) {}

    private final JsonPayloadConverter converter =
            new JsonPayloadConverter(JsonMapper.builder().build());

    @Test
    void sendsTextAsTextBytesAsBytesAndTheRestAsJson() {
        assertThat(converter.toPayload("hello").kind()).isEqualTo(Payload.Kind.TEXT);
        assertThat(converter.toPayload(new byte[] {1, 2}).kind()).isEqualTo(Payload.Kind.BYTES);
        Payload json = converter.toPayload(new Charge("acme", 5));
        assertThat(json.kind()).isEqualTo(Payload.Kind.JSON);
        assertThat(json.asText()).isEqualTo("{\"customer\":\"acme\",\"cents\":5}");
        assertThat(converter.toPayload(json)).isSameAs(json);
    }

    @Test
    void receivesWhatWasSent() {
        Payload json = converter.toPayload(new Charge("acme", 5));
        assertThat(converter.fromPayload(json, Charge.class)).isEqualTo(new Charge("acme", 5));
        assertThat(converter.fromPayload(json, String.class)).isEqualTo(json.asText());
        assertThat(converter.fromPayload(Payload.text(""), String.class)).isEqualTo("");
        assertThat(converter.fromPayload(Payload.text("é"), byte[].class))
                .isEqualTo("é".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(converter.fromPayload(json, Payload.class)).isSameAs(json);
    }

    @Test
    void keepsGenericTypes() {
        Payload json = Payload.json("[{\"customer\":\"acme\",\"cents\":5}]");
        assertThat(converter.fromPayload(json, new ParameterizedTypeReference<List<Charge>>() {}.getType()))
                .isEqualTo(List.of(new Charge("acme", 5)));
    }

    @Test
    void refusesWhatIsNoJsonForTheType() {
        assertThatThrownBy(() -> converter.fromPayload(Payload.text("hello"), Charge.class))
                .isInstanceOf(PayloadConversionException.class)
                .hasMessageContaining("the TEXT payload is no JSON for")
                .hasMessageContaining("Charge");
        assertThatThrownBy(() -> converter.fromPayload(Payload.json("null"), Charge.class))
                .isInstanceOf(PayloadConversionException.class);
    }
}
