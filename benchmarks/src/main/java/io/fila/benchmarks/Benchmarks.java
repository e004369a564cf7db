package io.fila.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The command line: runs one scenario and ends with 0 if what it must show was shown, 1 if not, 2 if it was called wrongly. */
final class Benchmarks {

    private static final String USAGE = """
            usage: benchmarks/run SCENARIO [SIZE]
              utilisation   how much of 100/1s, 1000/1s and 10/100ms one node uses, and how soon after there is room (seconds)
              shared        how much of 8/1s, 100/1s and 10/100ms two nodes use together (seconds)
              held          what 100,000 messages that a bucket holds cost the others of their queue (seconds)
              cost          what a limit costs that holds nothing back (messages)
              relane        what a throttle with a new key does to a backlog, and to another queue (messages)
              keys          what is left of keys that were used once (keys)
              chaos         three nodes under random kills and stalls: no window exceeded, nothing lost, nothing acknowledged
                            returns (seconds)
              order         1,000 ordering groups on three nodes under random kills and stalls: never two of a group in flight,
                            every group in its order (seconds)
              backlog       what it costs to work with a queue that holds so many ready and so many delayed messages, and how
                            soon it delivers after a crash (messages)
              scripts       what a script costs enqueues, and a script that never ends the queues beside it (messages)
              soak          whether tables grow at half of the greatest rate, and beside a held snapshot (seconds)
            """;

    private static final Map<String, Scenario> SCENARIOS = Map.ofEntries(
            Map.entry("utilisation", lasting(Utilisation::alone, 60)),
            Map.entry("shared", lasting(Utilisation::shared, 60)),
            Map.entry("held", lasting(HeldBacklog::run, 30)),
            Map.entry("cost", new Scenario(ThrottleCost::run, 100_000)),
            Map.entry("relane", new Scenario(Relaning::run, 1_000_000)),
            Map.entry("keys", new Scenario(KeysUsedOnce::run, 200_000)),
            Map.entry("chaos", lasting(Chaos::run, 300)),
            Map.entry("order", lasting(OrderedGroups::run, 120)),
            Map.entry("backlog", new Scenario(LargeBacklog::run, 1_000_000)),
            Map.entry("soak", lasting(Soak::run, 1_800)),
            Map.entry("scripts", new Scenario(ScriptCost::run, 50_000)));

    private Benchmarks() {}

    public static void main(String[] arguments) throws Exception {
        Scenario scenario = arguments.length < 1 || arguments.length > 2 ? null : SCENARIOS.get(arguments[0]);
        if (scenario == null || !isSize(arguments)) {
            System.err.print(USAGE);
            System.exit(2);
            return;
        }
        Path directory = Files.createTempDirectory("fila-benchmark");
        System.out.println("logs are in " + directory);
        int size = arguments.length < 2 ? scenario.usual() : Integer.parseInt(arguments[1]);
        boolean shown = scenario.run().within(directory, size);
        System.out.println(shown ? "shown" : "NOT SHOWN");
        System.exit(shown ? 0 : 1);
    }

    private static boolean isSize(String[] arguments) {
        return arguments.length < 2 || arguments[1].matches("[1-9]\\d{0,7}");
    }

    private static Scenario lasting(Lasting run, int usualSeconds) {
        return new Scenario((directory, seconds) -> run.within(directory, Duration.ofSeconds(seconds)), usualSeconds);
    }

    /** What to run, and at what size unless told otherwise. */
    private record Scenario(Run run, int usual) {}

    private interface Run {

        /** Returns whether it showed what it must. */
        boolean within(Path directory, int size) throws Exception;
    }

    private interface Lasting {

        boolean within(Path directory, Duration length) throws Exception;
    }
}
