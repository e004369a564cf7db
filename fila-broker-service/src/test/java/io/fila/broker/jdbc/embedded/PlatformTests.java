package io.fila.broker.jdbc.embedded;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalyzedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PlatformTests {

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, false, postgres-linux-x86_64.txz",
        "Linux, amd64, true, postgres-linux-x86_64-alpine_linux.txz",
        "Linux, aarch64, false, postgres-linux-arm_64.txz",
        "Mac OS X, aarch64, false, postgres-darwin-arm_64.txz",
        "Windows 11, amd64, false, postgres-windows-x86_64.txz"
    })
    void namesTheArchive(String os, String arch, boolean musl, String archive) {
        assertThat(new Platform(Platform.system(os), Platform.processor(arch), musl).archive())
                .isEqualTo(archive);
    }

    @ParameterizedTest
    @CsvSource({"linux, x86_64, false", "linux, x86_64, true", "linux, arm_64, false"})
    void bringsThePromisedArchives(String system, String processor, boolean musl) {
        assertThat(getClass().getClassLoader().getResource(new Platform(system, processor, musl).archive()))
                .isNotNull();
    }

    @Test
    void saysWhatToDoOnOthers(@TempDir Path path) {
        Platform platform = new Platform("linux", "riscv64", false);

        assertThatExceptionOfType(FailureAnalyzedException.class)
                .isThrownBy(() -> Binaries.unpack(new DataDirectory(path), platform))
                .satisfies(e -> {
                    assertThat(e.analysis().getDescription()).contains("no PostgreSQL for linux on riscv64");
                    assertThat(e.analysis().getAction()).contains("spring.datasource.url");
                });
    }
}
