package io.fila.broker.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class CredentialsTests {

    private final Credentials credentials = new Credentials(new SecurityProperties("s3cret"));

    @ParameterizedTest
    @ValueSource(strings = {"Bearer s3cret", "bearer s3cret", "Bearer  s3cret "})
    void acceptsTheToken(String authorization) {
        assertThat(credentials.accept(authorization)).isTrue();
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {"s3cret", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cret2", "Bearer S3CRET", "Basic s3cret"
            })
    void acceptsNothingElse(String authorization) {
        assertThat(credentials.accept(authorization)).isFalse();
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = " ")
    void acceptsEverybodyWhereNoTokenIsSet(String token) {
        assertThat(new Credentials(new SecurityProperties(token)).accept(null)).isTrue();
    }

    @Test
    void keepsTheTokenOutOfLogs() {
        assertThat(new SecurityProperties("s3cret").toString()).doesNotContain("s3cret");
    }
}
