package io.fila.broker.script;

import java.time.Duration;
import java.util.Map;

import org.luaj.vm2.Prototype;
import org.springframework.util.unit.DataSize;

/**
 * Has the classes that scripts need loaded before any script is run: the first call of {@code string.format} alone takes longer for
 * that than a script may take. Once for the process, for whoever compiles the first script.
 */
final class WarmUp {

    private static final int RUNS = 20;

    private static final String ALL = """
            function on_enqueue(msg)
              local t = { 3, 1, 2, n = 1.5, [2.5] = true }
              table.sort(t)
              table.sort(t, function(a, b) return a > b end)
              table.insert(t, 1, table.remove(t))
              table.move(t, 1, 2, 3)
              for k, v in pairs(t) do t[k] = v end
              for i, v in ipairs(t) do t[i] = v end
              local s = string.format("%5.1f %d %x %s %q %g %c %e", 1.5, 2, 255, "x", "y\\n", 0.1, 65, 1e10)
              s = s:upper():lower():reverse():rep(2, "-"):sub(1, -2)
              for w in s:gmatch("%a+") do t[#t + 1] = w end
              s = s:gsub("(%w)", "%1%1"):gsub("x", { x = "y" }):gsub("%f[%w]", function(c) return c end)
              s = s .. 1.5 .. #s .. tostring(t) .. table.concat({ 1, "a" }, ",") .. string.char(s:byte(1, 3))
              local a, b = s:find("%b()"), s:match("(.-)x", 2)
              local ok, e = pcall(error, "x")
              ok, e = pcall(function() return nil + 1 end)
              ok, e = xpcall(error, tostring, { 1 })
              local m = setmetatable({}, { __index = t, __add = function(p) return p end, __tostring = function() return "m" end })
              s = tostring(m + m) .. tostring(m.n) .. select("#", table.unpack({ 1, 2 })) .. (tonumber("0x10") or "")
              s = s .. math.floor(1.5) .. math.max(1, 2) .. math.random(5) .. math.huge .. 2 ^ 0.5 .. 7 % 3
              s = s .. utf8.char(228) .. utf8.len("ä") .. tostring(fila.get("none"))
              return { fairness_key = "x", weight = 2, attributes = { a = 1.5, b = true, c = "x", s = s:sub(1, 10) } }
            end
            """;

    private static boolean done;

    private WarmUp() {}

    static synchronized void once() {
        if (done) {
            return;
        }
        ScriptBudget budget = new ScriptBudget(Duration.ofSeconds(10), DataSize.ofGigabytes(1), Long.MAX_VALUE);
        Prototype prototype = LuaEngine.prototype("warm-up", ALL);
        LuaScript script = new LuaScript(budget, new Library(key -> null), prototype, Hook.ON_ENQUEUE);
        for (int i = 0; i < RUNS; i++) {
            Trial<Classification> trial =
                    script.tryOnEnqueue(new EnqueuedMessage(Map.of("name", "value"), 1, "warm-up"));
            if (trial.failure() != null) {
                throw new IllegalStateException("the script that warms up failed", trial.failure());
            }
        }
        done = true;
    }
}
