package io.fila.broker.security;

import java.nio.file.Path;

import io.fila.broker.BrokerProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ExposureIT {

    @Test
    void doesNotStartOpenToOtherMachines(@TempDir Path home) throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(home, "--server.address=0.0.0.0")) {
            assertThat(broker.awaitExit()).isEqualTo(1);

            assertThat(broker.output())
                    .contains("APPLICATION FAILED TO START", "would listen on 0.0.0.0 (server.address)")
                    .contains("Set fila.broker.security.admin-token")
                    .doesNotContain("\tat ");
            assertThat(home.resolve(".fila")).doesNotExist();
        }
    }
}
