package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.diagnostics.FailureAnalyzedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DataDirectoryTests {

    @TempDir
    Path parent;

    @Test
    void isForItsOwnerOnly() throws IOException {
        DataDirectory directory = new DataDirectory(parent.resolve("a/b"));

        directory.create();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.path())))
                .isEqualTo("rwx------");
    }

    @Test
    void saysWhatToSetWhereItCannotBeWritten() throws IOException {
        Path file = Files.createFile(parent.resolve("file"));

        assertThatExceptionOfType(FailureAnalyzedException.class)
                .isThrownBy(() -> new DataDirectory(file.resolve("data")).create())
                .satisfies(e -> {
                    assertThat(e.analysis().getDescription()).contains("cannot be written by user");
                    assertThat(e.analysis().getAction()).contains("fila.broker.data-dir", "spring.datasource.url");
                });
    }

    @Test
    void keepsOutOfADirectoryWithSomebodyElsesFiles() throws IOException {
        Files.createFile(parent.resolve("thesis.tex"));

        assertThatExceptionOfType(FailureAnalyzedException.class)
                .isThrownBy(() -> new DataDirectory(parent).create())
                .satisfies(e -> assertThat(e.analysis().getDescription()).contains("'thesis.tex'"));
        assertThat(parent.resolve("fila")).doesNotExist();
    }

    @Test
    void doesNotMindWhatAVolumeBringsAlong() throws IOException {
        Files.createDirectory(parent.resolve("lost+found"));

        new DataDirectory(parent).create();

        assertThat(parent.resolve("fila")).isDirectory();
    }

    @Test
    void isHeldByOneBrokerAtATime() {
        DataDirectory directory = new DataDirectory(parent.resolve("data"));
        directory.create();

        try (DirectoryLock held = DirectoryLock.acquire(directory)) {
            assertThatExceptionOfType(FailureAnalyzedException.class)
                    .isThrownBy(() -> DirectoryLock.acquire(directory))
                    .satisfies(e -> assertThat(e.analysis().getDescription())
                            .contains("in use by another broker (process %d)"
                                    .formatted(ProcessHandle.current().pid())));
        }
        DirectoryLock.acquire(directory).close();
    }
}
