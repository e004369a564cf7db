package io.fila.history;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The command line of the checker. Exit code 0: no window was exceeded; 1: one was; 2: it could not be told. */
final class HistoryCheckerCommand {

    private static final String USAGE = """
            usage: java -jar fila-history-checker-cli.jar --limit THROTTLE=N/W[,N/W...] [--limit ...] LOG...
              --limit stripe=60/1m,20/1s   what the throttle declares; units ms, s, m, h, d
              LOG                          delivery logs of all nodes (fila.broker.pacing.delivery-log.file)
            """;

    private HistoryCheckerCommand() {}

    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments)));
    }

    static int run(List<String> arguments) {
        Map<String, List<WindowLimit>> limits = new LinkedHashMap<>();
        List<Path> files = new ArrayList<>();
        try {
            for (int i = 0; i < arguments.size(); i++) {
                if (!arguments.get(i).equals("--limit")) {
                    files.add(Path.of(arguments.get(i)));
                } else if (++i < arguments.size()) {
                    addLimit(arguments.get(i), limits);
                }
            }
            if (limits.isEmpty() || files.isEmpty()) {
                throw new IllegalArgumentException("at least one --limit and one log are needed");
            }
            Report report = HistoryChecker.check(DeliveryLog.read(files), limits);
            System.out.print(report);
            return report.isWithinLimits() ? 0 : 1;
        } catch (NoSuchFileException e) {
            System.err.println("no such file: " + e.getMessage());
        } catch (IOException e) {
            System.err.println(e.getMessage());
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(USAGE);
        }
        return 2;
    }

    private static void addLimit(String argument, Map<String, List<WindowLimit>> limits) {
        int equals = argument.lastIndexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException("--limit: expected THROTTLE=N/W, got '" + argument + "'");
        }
        List<WindowLimit> parsed = new ArrayList<>();
        for (String limit : argument.substring(equals + 1).split(",", -1)) {
            parsed.add(WindowLimit.parse(limit));
        }
        limits.put(argument.substring(0, equals), parsed);
    }
}
