package io.fila.broker.script;

import java.time.Duration;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.problem.ProblemException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** What scripts read on several nodes. */
class ConfigValuesIT {

    @Test
    void areSeenByOtherNodesWithinASecond() {
        String url = TestDatabase.create();
        try (TestBroker one = TestBroker.start(url);
                TestBroker other = TestBroker.start(url)) {
            ConfigValues values = one.bean(ConfigValues.class);
            ConfigSnapshot here = one.bean(ConfigSnapshot.class);
            ConfigSnapshot there = other.bean(ConfigSnapshot.class);

            values.put("tier", "gold");
            assertThat(here.get("tier")).isEqualTo("gold");
            await().atMost(Duration.ofSeconds(1)).until(() -> "gold".equals(there.get("tier")));

            values.put("tier", "silver");
            await().atMost(Duration.ofSeconds(1)).until(() -> "silver".equals(there.get("tier")));

            values.delete("tier");
            assertThat(here.get("tier")).isNull();
            await().atMost(Duration.ofSeconds(1)).until(() -> there.get("tier") == null);
        }
    }

    @Test
    void areFew() {
        try (TestBroker broker = TestBroker.start(TestDatabase.create())) {
            ConfigValues values = broker.bean(ConfigValues.class);
            for (int i = 0; i < ConfigValues.MOST_ENTRIES; i++) {
                values.put("key-" + i, "value");
            }

            values.put("key-5", "another value");
            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(() -> values.put("one-more", "value"))
                    .withMessageContaining("at most 1000 entries");
            assertThat(values.list("key-99")).hasSize(11);
            assertThat(values.list("")).hasSize(ConfigValues.MOST_ENTRIES);
        }
    }
}
