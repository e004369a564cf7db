package io.fila.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The command line: runs one scenario and ends with 0 if what it must show was shown, 1 if not, 2 if it was called wrongly. */
final class Benchmarks {

    private static final String USAGE = """
            usage: benchmarks/run SCENARIO [SECONDS]
              utilisation   how much of 100/1s, 1000/1s and 10/100ms one node uses, and how soon after there is room
              shared        how much of 8/1s, 100/1s and 10/100ms two nodes use together
              held          what 100,000 messages that a bucket holds cost the others of their queue
              chaos         three nodes under random kills and stalls: no window exceeded, nothing lost, nothing acknowledged returns
            """;

    private static final Map<String, Scenario> SCENARIOS = Map.of(
            "utilisation", new Scenario(Utilisation::alone, Duration.ofSeconds(60)),
            "shared", new Scenario(Utilisation::shared, Duration.ofSeconds(60)),
            "held", new Scenario(HeldBacklog::run, Duration.ofSeconds(30)),
            "chaos", new Scenario(Chaos::run, Duration.ofMinutes(5)));

    private Benchmarks() {}

    public static void main(String[] arguments) throws Exception {
        @Nullable Scenario scenario = arguments.length < 1 ? null : SCENARIOS.get(arguments[0]);
        if (scenario == null || arguments.length > 2 || !isSeconds(arguments)) {
            System.err.print(USAGE);
            System.exit(2);
            return;
        }
        Path directory = Files.createTempDirectory("fila-benchmark");
        System.out.println("logs are in " + directory);
        Duration length = arguments.length < 2 ? scenario.usual() : Duration.ofSeconds(Long.parseLong(arguments[1]));
        boolean shown = scenario.run().within(directory, length);
        System.out.println(shown ? "shown" : "NOT SHOWN");
        System.exit(shown ? 0 : 1);
    }

    private static boolean isSeconds(String[] arguments) {
        return arguments.length < 2 || arguments[1].matches("[1-9]\\d{0,5}");
    }

    /** What to run, and for how long unless told otherwise. */
    private record Scenario(Run run, Duration usual) {}

    private interface Run {

        /** Returns whether it showed what it must. */
        boolean within(Path directory, Duration length) throws Exception;
    }
}
