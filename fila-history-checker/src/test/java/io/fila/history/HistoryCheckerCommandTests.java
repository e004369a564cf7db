package io.fila.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HistoryCheckerCommandTests {

    private static final String LINE = """
            {"from":"2026-01-01T00:00:0%1$d.5Z","to":"2026-01-01T00:00:0%1$d.5001Z","node":"n","queue":"orders","message":"m",\
            "attempt":1,"enqueuedAt":"2026-01-01T00:00:00Z","buckets":[{"throttle":"stripe","key":["acme"]},{"throttle":"all"}]}
            """;

    private static final String GRANT = """
            {"from":"2026-01-01T00:00:0%1$d.5Z","to":"2026-01-01T00:00:0%1$d.5001Z","node":"n","permits":%2$s,\
            "buckets":[{"throttle":"stripe","key":["acme"]}]}
            """;

    @TempDir
    Path directory;

    private Path log(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content);
    }

    private static int run(Object... arguments) {
        return HistoryCheckerCommand.run(
                List.of(arguments).stream().map(String::valueOf).toList());
    }

    @Test
    void succeedsWhenEveryWindowWasKept() throws IOException {
        Path one = log("one.ndjson", LINE.formatted(1) + LINE.formatted(3));
        Path two = log("two.ndjson", LINE.formatted(2));

        assertThat(run("--limit", "stripe=1/1s", "--limit", "all=2/2s,3/3s", one, two))
                .isZero();
    }

    @Test
    void failsWhenNodesTogetherExceededALimit() throws IOException {
        Path one = log("one.ndjson", LINE.formatted(1));
        Path two = log("two.ndjson", LINE.formatted(2));

        assertThat(run("--limit", "stripe=1/2s", one, two)).isEqualTo(1);
    }

    @Test
    void failsWhenPermitsTogetherWithDeliveriesExceededALimit() throws IOException {
        Path one = log("one.ndjson", LINE.formatted(1) + GRANT.formatted(2, 5));

        assertThat(run("--limit", "stripe=6/2s", one)).isZero();
        assertThat(run("--limit", "stripe=5/2s", one)).isEqualTo(1);
    }

    @Test
    void readsGrantsAmongDeliveriesInTheOrderOfBoth() throws IOException {
        Path one = log("one.ndjson", LINE.formatted(1) + GRANT.formatted(2, 1_000_000_000));
        Path two = log("two.ndjson", LINE.formatted(3));

        assertThat(DeliveryLog.read(List.of(two, one)))
                .extracting(Counted::count)
                .containsExactly(1, 1_000_000_000, 1);
        assertThat(DeliveryLog.read(List.of(one)).get(1))
                .isEqualTo(new GrantedPermits(
                        Instant.parse("2026-01-01T00:00:02.5Z"),
                        Instant.parse("2026-01-01T00:00:02.5001Z"),
                        "n",
                        1_000_000_000,
                        List.of(new BucketName("stripe", List.of("acme")))));
        assertThat(DeliveryLog.deliveries(List.of(two, one)))
                .extracting(DeliveredMessage::from)
                .containsExactly(Instant.parse("2026-01-01T00:00:01.5Z"), Instant.parse("2026-01-01T00:00:03.5Z"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "5.0", "3000000000", "\"5\"", "null", "[5]"})
    void namesALineWhosePermitsAreNoWholeNumberOfAtLeastOne(String permits) throws IOException {
        Path broken = log("broken.ndjson", LINE.formatted(1) + GRANT.formatted(2, permits) + LINE.formatted(3));

        assertThatThrownBy(() -> DeliveryLog.read(List.of(broken)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("broken.ndjson, line 2 is no delivery and no grant of permits: permits: expected")
                .hasMessageEndingWith("got " + permits);
        assertThat(run("--limit", "stripe=1/1s", broken)).isEqualTo(2);
    }

    @Test
    void passesOverALastLineThatIsCutOff() throws IOException {
        Path torn = log("torn.ndjson", LINE.formatted(1) + LINE.formatted(2).substring(0, 40));

        assertThat(DeliveryLog.read(List.of(torn))).hasSize(1);
    }

    @Test
    void namesALineThatIsNeitherADeliveryNorAGrant() throws IOException {
        Path broken = log("broken.ndjson", LINE.formatted(1) + "{\"from\":\"today\"}\n" + LINE.formatted(2));

        assertThatThrownBy(() -> DeliveryLog.read(List.of(broken)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("broken.ndjson, line 2 is no delivery and no grant of permits");
        assertThat(run("--limit", "stripe=1/1s", broken)).isEqualTo(2);
    }

    @Test
    void saysHowItIsUsedWhenItIsAskedWrongly() throws IOException {
        Path one = log("one.ndjson", LINE.formatted(1));

        assertThat(run()).isEqualTo(2);
        assertThat(run(one)).isEqualTo(2);
        assertThat(run("--limit", "stripe", one)).isEqualTo(2);
        assertThat(run("--limit", "stripe=0/1s", one)).isEqualTo(2);
        assertThat(run("--limit", "stripe=1/1s", directory.resolve("absent"))).isEqualTo(2);
    }
}
