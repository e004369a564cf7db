package io.fila.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The command line: runs one scenario. Exit code 0: what it must show was shown. */
final class Benchmarks {

    private static final String USAGE = """
            usage: benchmarks/run SCENARIO [SECONDS]
              utilisation   how much of 100/1s, 1000/1s and 10/100ms one node uses, and how soon after there is room
              shared        how much of 8/1s two nodes use together
              held          what 100,000 messages that a bucket holds cost the others of their queue
              chaos         three nodes under random kills and stalls: no window exceeded, nothing lost, nothing acknowledged returns
            """;

    private Benchmarks() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 1 || arguments.length > 2 || !isSeconds(arguments)) {
            System.err.print(USAGE);
            System.exit(2);
        }
        Path directory = Files.createTempDirectory("fila-benchmark");
        System.out.println("logs are in " + directory);
        Duration length = arguments.length < 2 ? null : Duration.ofSeconds(Long.parseLong(arguments[1]));
        boolean shown = switch (arguments[0]) {
            case "utilisation" -> Utilisation.alone(directory, length == null ? Duration.ofSeconds(60) : length);
            case "shared" -> Utilisation.shared(directory, length == null ? Duration.ofSeconds(60) : length);
            case "held" -> HeldBacklog.run(directory, length == null ? Duration.ofSeconds(30) : length);
            case "chaos" -> Chaos.run(directory, length == null ? Duration.ofMinutes(5) : length);
            default -> {
                System.err.print(USAGE);
                yield false;
            }
        };
        System.out.println(shown ? "shown" : "NOT SHOWN");
        System.exit(shown ? 0 : 1);
    }

    private static boolean isSeconds(String[] arguments) {
        return arguments.length < 2 || List.of(arguments).get(1).matches("[1-9]\\d{0,5}");
    }
}
