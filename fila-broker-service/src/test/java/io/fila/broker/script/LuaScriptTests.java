package io.fila.broker.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.fila.broker.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What scripts can do, and what is made of their answers. */
class LuaScriptTests {

    private static final LuaEngine ENGINE = new LuaEngine(
            new ScriptBudget(Duration.ofSeconds(1), DataSize.ofMegabytes(64), 100_000_000),
            Map.of("tier.acme", "gold")::get);

    private static final EnqueuedMessage CHARGE =
            new EnqueuedMessage(Map.of("job_type", "charge", "account", "acme", "Ünïcode", "grün"), 42, "orders");

    private static final FailedMessage FAILED =
            new FailedMessage("0193", Map.of("customer", "acme"), 2, 1, "orders", "nack", "card declined");

    @Test
    void computesAttributesAsTheReferenceShows() throws ScriptException {
        LuaScript script = ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, """
                function on_enqueue(msg)
                  local attrs = {}
                  if msg.headers["job_type"] == "charge" then
                    attrs.stripe_account = msg.headers["account"]
                  end
                  return { attributes = attrs }
                end
                """);

        assertThat(script.onEnqueue(CHARGE))
                .isEqualTo(new Classification(null, null, Map.of("stripe_account", "acme")));
        assertThat(script.onEnqueue(new EnqueuedMessage(Map.of("job_type", "mail"), 1, "orders")))
                .isEqualTo(new Classification(null, null, Map.of()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            msg.headers.account                                 | acme
            msg.headers["Ünïcode"]                              | grün
            msg.payload_size                                    | 42
            msg.payload_size / 4                                | 10.5
            msg.queue                                           | orders
            msg.payload_size > 40                               | true
            fila.get("tier.acme")                               | gold
            tostring(fila.get("tier.none"))                     | nil
            ("x"):rep(3, "-")                                   | x-x-x
            ("Hello"):upper():lower():reverse()                 | olleh
            ("hello world"):find("o w")                         | 5
            ("hello"):sub(-3, -2)                               | ll
            ("key = value"):match("^(%w+)%s*=%s*(%w+)$")        | key
            select(2, ("key = value"):match("(%w+)%s*=%s*(%w+)"))  | value
            ("THE (quick) fox"):find("%((%a+)%)")               | 5
            ("hello world"):gsub("o", "0")                      | hell0 w0rld
            ("hello world"):gsub("(%w+)", "<%1>")               | <hello> <world>
            ("hello"):gsub("", "-")                             | -h-e-l-l-o-
            ("abc"):gsub("%w", {a = "1", b = true and "2"})     | 12c
            ("abc"):gsub("%w", function(c) return c:byte() .. "." end) | 97.98.99.
            ("abc def"):gsub("%f[%w]%w+", string.upper)         | ABC DEF
            ("f(a(b)c)d"):match("%b()")                         | (a(b)c)
            ("aaa"):match("^(a-)a$")                            | aa
            ("x=1, y=2"):gsub("(%w)=(%w)", "%2=%1")             | 1=x, 2=y
            ("abab"):match("(ab)%1")                            | ab
            ("[]]"):match("[]]")                                | ]
            ("a-b"):match("[a%-]+")                             | a-
            ("hello"):match("()ll()")                           | 3
            ("  trim  "):match("^%s*(.-)%s*$")                  | trim
            ("2024-01-31"):match("(%d+)-(%d+)-(%d+)")           | 2024
            string.format("%5.1f/%-5d/%05d/%+d", 3.14159, 42, 42, 42) | `  3.1/42   /00042/+42`
            string.format("%s %q %x %X %o %c", "a", 'b"', 255, 255, 8, 65) | a "b\\"" ff FF 10 A
            string.format("%g %g %g %g", 0.1, 1e20, 100, 1e-5)   | 0.1 1e+20 100 1e-05
            string.format("%e %.3s %%", 12345.678, "abcdef")    | 1.234568e+04 abc %
            string.format("%10.4s/", "abcdef")                  | `      abcd/`
            table.concat({1, 2, 3}, ", ")                       | 1, 2, 3
            table.unpack({"a", "b"})                            | a
            #table.pack(1, nil, 3) .. table.pack(1, nil, 3).n    | 33
            select("#", 1, nil, nil)                            | 3
            select(-1, "a", "b")                                | b
            math.floor(3.7) .. math.ceil(3.2) .. math.max(1, 5, 3) .. math.min(4, 2) | 3452
            math.type(1) .. math.type(1.5)                      | integerfloat
            7 % 3 .. " " .. -7 % 3 .. " " .. 2 ^ 10             | 1 2 1024
            10 / 2                                              | 5
            (0.1 + 0.2) .. " " .. 123456789.5 .. " " .. 1e300   | 0.3 123456789.5 1e+300
            table.concat({123456789.5, 0.1}, " ") .. string.len(1234567.25) | 123456789.5 0.110
            ("x"):rep(2, 0.5) .. ("a"):gsub("a", 123456789.5)   | x0.5x123456789.5
            select(2, pcall(error, "grün 🙂"))                  | grün 🙂
            tonumber("0x10") .. tonumber("ff", 16) .. tonumber(" 12 ") | 1625512
            tostring(tonumber("x"))                             | nil
            tostring(1e15) .. " " .. tostring(0.1) .. " " .. tostring(-3) | 1e+15 0.1 -3
            tostring(nil) .. tostring(true)                     | niltrue
            type(next) .. type({}) .. type("") .. type(1)       | functiontablestringnumber
            utf8.len("grün") .. utf8.char(252) .. utf8.codepoint("ü") | 4ü252
            select(2, pcall(error, "plain"))                    | plain
            select(2, pcall(function() local x = nil; return x.y end)) | line 1: attempt to index ? (a nil value)
            select(2, xpcall(function() error("bad") end, function(e) return "handled " .. e end)) | handled line 1: bad
            select(2, pcall(error, {code = 5})).code            | 5
            _VERSION                                            | Lua 5.4, in part
            """)
    void hasTheStandardLibrary(String expression, String expected) throws ScriptException {
        String source = "function on_enqueue(msg) local x = " + expression + "\n return {fairness_key = x} end";

        assertThat(ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, source).onEnqueue(CHARGE))
                .isEqualTo(new Classification(expected, null, Map.of()));
    }

    @Test
    void hasLoopsClosuresAndMetatables() throws ScriptException {
        String source = """
                local Stack = {}
                Stack.__index = Stack
                function Stack.new() return setmetatable({ n = 0 }, Stack) end
                function Stack:push(v) self.n = self.n + 1; self[self.n] = v end
                function on_enqueue(msg)
                  local s = Stack.new()
                  for w in ("one two three"):gmatch("%a+") do s:push(w) end
                  for i, v in ipairs({ "x", "y" }) do s:push(v .. i) end
                  local keys = {}
                  for k in pairs({ b = 1, a = 2, c = 3 }) do keys[#keys + 1] = k end
                  table.sort(keys, function(p, q) return p > q end)
                  local list = { 3, 1, 2 }
                  table.sort(list)
                  table.insert(list, 1, 0)
                  table.remove(list)
                  return { fairness_key = table.concat(s, ",") .. table.concat(keys) .. table.concat(list) }
                end
                """;

        assertThat(ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, source)
                        .onEnqueue(CHARGE)
                        .fairnessKey())
                .isEqualTo("one,two,three,x1,y2cba012");
    }

    @Test
    void doesNotChangeTheMessageForAnybodyElse() throws ScriptException {
        LuaScript script = ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, """
                function on_enqueue(msg)
                  local seen = msg.headers.account
                  msg.headers.account = "changed"
                  counter = (counter or 0) + 1
                  return { fairness_key = seen .. counter }
                end
                """);

        assertThat(script.onEnqueue(CHARGE).fairnessKey()).isEqualTo("acme1");
        assertThat(script.onEnqueue(CHARGE).fairnessKey()).isEqualTo("acme1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {action = "retry"}                   | Retry[delay=null]
            {action = "retry", delay_ms = 1500}  | Retry[delay=PT1.5S]
            {action = "dlq"}                     | DeadLetter[]
            nil                                  | Undecided[]
            """)
    void saysWhatBecomesOfAFailure(String answer, String expected) throws ScriptException {
        LuaScript script =
                ENGINE.compile("onFailure", Hook.ON_FAILURE, "function on_failure(msg) return " + answer + " end");

        assertThat(script.onFailure(FAILED)).hasToString(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {action = "drop"}                    | action: expected "retry" or "dlq", got "drop"
            {}                                   | action: expected "retry" or "dlq", got nil
            {action = "retry", delay_ms = -1}    | delay_ms: expected a whole number from 0 to 31536000000, got -1
            {action = "retry", delay_ms = 0/0}   | delay_ms: expected a whole number from 0 to 31536000000, got nan
            {action = "dlq", delay_ms = 5}       | delay_ms: expected only with action = "retry"
            {action = "dlq", why = "x"}          | on_failure returned a field "why", expected action, delay_ms
            5                                    | on_failure returned 5, expected a table or nil
            """)
    void refusesWhatIsNoVerdict(String answer, String message) {
        LuaScript script =
                ENGINE.compile("onFailure", Hook.ON_FAILURE, "function on_failure(msg) return " + answer + " end");

        assertThatExceptionOfType(ScriptException.class)
                .isThrownBy(() -> script.onFailure(FAILED))
                .withMessage(message);
    }

    @Test
    void isToldAllOfAFailure() throws ScriptException {
        LuaScript script = ENGINE.compile("onFailure", Hook.ON_FAILURE, """
                function on_failure(msg)
                  local told = table.concat({ msg.id, msg.headers.customer, msg.attempts, msg.redrives, msg.queue,
                                              msg.reason, msg.error }, " ")
                  if told == "0193 acme 2 1 orders nack card declined" then
                    return { action = "dlq" }
                  end
                end
                """);

        assertThat(script.onFailure(FAILED)).isEqualTo(new Verdict.DeadLetter());
    }

    @Test
    void servesSeveralThreadsAtOnce() throws Exception {
        LuaScript script = ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, """
                local seen = {}
                function on_enqueue(msg)
                  for i = 1, 50 do
                    seen[i] = msg.headers.n .. i
                  end
                  return { fairness_key = seen[50], attributes = { all = table.concat(seen, " ") } }
                end
                """);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Boolean>> results = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                String n = t + ":";
                EnqueuedMessage message = new EnqueuedMessage(Map.of("n", n), 0, "orders");
                Callable<Boolean> runs = () -> {
                    for (int i = 0; i < 500; i++) {
                        Classification answer = script.onEnqueue(message);
                        assertThat(answer.fairnessKey()).isEqualTo(n + 50);
                        assertThat(answer.attributes().get("all").split(" ")).allMatch(one -> one.startsWith(n));
                    }
                    return true;
                };
                results.add(threads.submit(runs));
            }
            for (Future<Boolean> result : results) {
                assertThat(result.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            function on_enqueue(msg) return { end       | onEnqueue: line 1: unexpected 'end'
            x = = 1                                     | onEnqueue: line 1: unexpected '='
            function on_enqueue(msg)                    | onEnqueue: line 1: 'end' expected
            y = "open                                   | onEnqueue: line 1: unfinished string
            local x = 1                                 | onEnqueue: there is no function 'on_enqueue'; define it
            error("at once")                            | onEnqueue: line 1: at once
            """)
    void saysWhatIsWrongWithASource(String source, String message) {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> ENGINE.compile("onEnqueue", Hook.ON_ENQUEUE, source))
                .withMessageStartingWith(message);
    }
}
