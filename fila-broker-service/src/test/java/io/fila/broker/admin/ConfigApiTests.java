package io.fila.broker.admin;

import java.util.List;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.script.ConfigEntry;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.json.JsonCompareMode;

import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.verify;

/** The configuration of scripts over HTTP: what goes to the service and what comes back. */
class ConfigApiTests extends RestSlice {

    private static final ConfigEntry ENTRY = new ConfigEntry("stripe.account", "acct_1", NOON);

    private static final String SHOWN =
            "{\"key\":\"stripe.account\",\"value\":\"acct_1\",\"updatedAt\":\"2030-01-31T12:00:00Z\"}";

    @Test
    void setsAValue() {
        given(config.put("stripe.account", "acct_1")).willReturn(ENTRY);

        http.put()
                .uri("/config/stripe.account")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue("{\"value\":\"acct_1\"}")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .json(SHOWN, JsonCompareMode.STRICT);
    }

    @Test
    void refusesAValueThatIsNoText() {
        http.put()
                .uri("/config/stripe.account")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue("{\"value\":5}")
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo("value: expected a string, got 5");
    }

    @Test
    void showsAValueAndThoseOfAPrefix() {
        given(config.get("stripe.account")).willReturn(ENTRY);
        given(config.list("stripe.")).willReturn(List.of(ENTRY));
        given(config.list("")).willReturn(List.of());

        http.get()
                .uri("/config/stripe.account")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .json(SHOWN);
        http.get()
                .uri("/config?prefix=stripe.")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .json("[" + SHOWN + "]");
        http.get().uri("/config").exchange().expectStatus().isOk().expectBody().json("[]");
    }

    @Test
    void removesAValue() {
        http.delete().uri("/config/stripe.account").exchange().expectStatus().isNoContent();

        verify(config).delete("stripe.account");
        willThrow(new ProblemException(ProblemCode.CONFIG_NOT_FOUND, "key: gone"))
                .given(config)
                .delete("gone");
        http.delete()
                .uri("/config/gone")
                .exchange()
                .expectStatus()
                .isNotFound()
                .expectBody()
                .jsonPath("$.code")
                .isEqualTo("config-not-found");
    }
}
