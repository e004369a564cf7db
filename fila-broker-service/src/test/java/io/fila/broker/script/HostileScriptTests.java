package io.fila.broker.script;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Scripts that mean harm end in time, and leave nothing behind. */
class HostileScriptTests {

    private static final ScriptBudget BUDGET =
            new ScriptBudget(Duration.ofMillis(10), DataSize.ofMegabytes(1), 1_000_000);

    private static final LuaEngine ENGINE = new LuaEngine(BUDGET, key -> null);
    private static final EnqueuedMessage MESSAGE = new EnqueuedMessage(Map.of("customer", "acme"), 5, "orders");

    /** Uses what the others would have liked to change. */
    private static final String PLAIN = """
            function on_enqueue(msg)
              assert(pwned == nil)
              return {
                fairness_key = ("x"):upper() .. string.upper("y") .. table.concat({ "a", "b" }) .. math.floor(1.5),
                attributes = { customer = msg.headers.customer },
              }
            end
            """;

    private record Hostile(String name, String end, String body) {
        @Override
        public String toString() {
            return end + ": " + name;
        }
    }

    static Stream<Hostile> corpus() throws IOException {
        String text = new ClassPathResource("hostile.txt", HostileScriptTests.class)
                .getContentAsString(StandardCharsets.UTF_8);
        return Stream.of(text.split("(?m)^=== ")).skip(1).map(part -> {
            String heading = part.lines().findFirst().orElseThrow();
            int space = heading.indexOf(' ');
            return new Hostile(
                    heading.substring(space + 1),
                    heading.substring(0, space),
                    part.substring(heading.length()).strip());
        });
    }

    /** Scripts run on threads like those of the broker. */
    private static final ExecutorService THREAD =
            Executors.newSingleThreadExecutor(work -> ScriptLines.threadOf(work, "hostile-scripts"));

    @AfterAll
    static void stop() {
        THREAD.shutdownNow();
    }

    /** So that what is measured is the script, and not the loading of classes. */
    @BeforeAll
    static void warmUp() {
        LuaScript plain = ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, PLAIN);
        for (int i = 0; i < 2_000; i++) {
            plain.tryOnEnqueue(MESSAGE);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("corpus")
    void endsWithinTwiceItsLimitsAndChangesNothing(Hostile hostile) throws Exception {
        String source = "function on_enqueue(msg) do " + hostile.body() + " end end";
        if (hostile.end().equals("INVALID")) {
            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(() -> ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, source))
                    .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.INVALID_SCRIPT));
            return;
        }
        LuaScript script = ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, source);

        Trial<Classification> trial =
                THREAD.submit(() -> script.tryOnEnqueue(MESSAGE)).get();

        ScriptException failure = trial.failure();
        assertThat(failure == null ? "ANSWERED" : failure.kind().toString())
                .as(() -> failure == null ? "answer" : String.valueOf(failure.getMessage()))
                .isEqualTo(hostile.end());
        if (failure != null) {
            assertThat(failure.getMessage())
                    .hasSizeLessThanOrEqualTo(1_000)
                    .doesNotContain("java", "luaj", "Exception", "\0");
        }
        assertThat(trial.usage().time()).isLessThan(BUDGET.time().multipliedBy(2));
        assertThat(trial.usage().bytes()).isLessThan(2 * BUDGET.memory().toBytes());
        assertThat(trial.usage().steps()).isLessThan(2 * BUDGET.steps());
        assertThat(ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, PLAIN).onEnqueue(MESSAGE))
                .isEqualTo(new Classification("XYab1", null, Map.of("customer", "acme")));
    }

    @Test
    void isNotTakenIfItNeverGetsToItsFunction() {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, "while true do end"))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.INVALID_SCRIPT))
                .withMessageContaining("onEnqueue: took more than");
    }

    @Test
    void isNotTakenIfItIsTooLongOrNestedTooDeeply() {
        for (String source : new String[] {
            "-- " + "x".repeat(70_000),
            "return " + "(".repeat(30_000) + "1" + ")".repeat(30_000),
            "return " + "{".repeat(30_000) + "}".repeat(30_000),
            "do ".repeat(20_000) + "end ".repeat(20_000 / 2),
            "return " + "not ".repeat(16_000) + "1",
            "x = " + "a".repeat(10) + ".b".repeat(30_000) + "(",
            "local f = " + "function() return ".repeat(3_000) + "1 " + "end ".repeat(3_000),
        }) {
            assertThatExceptionOfType(ProblemException.class)
                    .as(() -> source.substring(0, 40))
                    .isThrownBy(() -> ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, source))
                    .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.INVALID_SCRIPT));
        }
    }
}
