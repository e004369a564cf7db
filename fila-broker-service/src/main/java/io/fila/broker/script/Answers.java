package io.fila.broker.script;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** Reads what scripts answer with, strictly: what could be a mistake is one. */
final class Answers {

    private static final int LONGEST_FAIRNESS_KEY = 1_000;
    private static final int HEAVIEST = 1_000;
    private static final int MOST_ATTRIBUTES = 64;
    private static final int LARGEST_ATTRIBUTES = 16 << 10;
    private static final long LONGEST_DELAY = Duration.ofDays(365).toMillis();

    private static final Set<String> CLASSIFICATION = Set.of("fairness_key", "weight", "attributes");
    private static final Set<String> VERDICT = Set.of("action", "delay_ms");

    private Answers() {}

    /** Nil, or a table with any of {@code fairness_key}, {@code weight} and {@code attributes}. */
    static Classification classification(LuaValue answer) throws ScriptException {
        if (answer.isnil()) {
            return new Classification(null, null, Map.of());
        }
        LuaTable table = table("on_enqueue", answer, CLASSIFICATION);
        LuaValue attributes = table.rawget("attributes");
        return new Classification(
                fairnessKey(table.rawget("fairness_key")),
                weight(table.rawget("weight")),
                attributes.isnil() ? Map.of() : attributes(attributes));
    }

    /** Nil, or a table with {@code action}, and perhaps {@code delay_ms}. */
    static Verdict verdict(LuaValue answer) throws ScriptException {
        if (answer.isnil()) {
            return new Verdict.Undecided();
        }
        LuaTable table = table("on_failure", answer, VERDICT);
        LuaValue delay = table.rawget("delay_ms");
        String action =
                table.rawget("action").isstring() ? table.rawget("action").tojstring() : "";
        return switch (action) {
            case "retry" -> new Verdict.Retry(delay.isnil() ? null : delay(delay));
            case "dlq" -> {
                if (!delay.isnil()) {
                    throw wrong("delay_ms: expected only with action = \"retry\"");
                }
                yield new Verdict.DeadLetter();
            }
            default -> throw wrong("action: expected \"retry\" or \"dlq\", got " + shown(table.rawget("action")));
        };
    }

    private static LuaTable table(String function, LuaValue answer, Set<String> fields) throws ScriptException {
        if (!(answer instanceof LuaTable table)) {
            throw wrong(function + " returned " + shown(answer) + ", expected a table or nil");
        }
        int left = fields.size();
        LuaValue key = LuaValue.NIL;
        while (true) {
            Varargs entry = table.next(key);
            key = entry.arg1();
            if (key.isnil()) {
                return table;
            }
            if (!(key instanceof LuaString) || !fields.contains(key.tojstring()) || left-- == 0) {
                throw wrong("%s returned a field %s, expected %s"
                        .formatted(function, shown(key), String.join(", ", new TreeSet<>(fields))));
            }
        }
    }

    private static @Nullable String fairnessKey(LuaValue value) throws ScriptException {
        if (value.isnil()) {
            return null;
        }
        String key = text("fairness_key", value);
        if (key.length() > LONGEST_FAIRNESS_KEY) {
            throw wrong("fairness_key: expected at most %d characters, got %d"
                    .formatted(LONGEST_FAIRNESS_KEY, key.length()));
        }
        return key;
    }

    private static @Nullable Integer weight(LuaValue value) throws ScriptException {
        return value.isnil() ? null : (int) wholeNumber("weight", value, 1, HEAVIEST);
    }

    private static Duration delay(LuaValue value) throws ScriptException {
        return Duration.ofMillis(wholeNumber("delay_ms", value, 0, LONGEST_DELAY));
    }

    private static long wholeNumber(String field, LuaValue value, long least, long most) throws ScriptException {
        double number = value instanceof LuaNumber ? value.todouble() : Double.NaN;
        // neither comparison holds for what is no number
        if (!(number >= least && number <= most) || number != Math.rint(number)) {
            throw wrong(
                    "%s: expected a whole number from %d to %d, got %s".formatted(field, least, most, shown(value)));
        }
        return (long) number;
    }

    private static Map<String, String> attributes(LuaValue value) throws ScriptException {
        if (!(value instanceof LuaTable table)) {
            throw wrong("attributes: expected a table, got " + shown(value));
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        int size = 0;
        LuaValue key = LuaValue.NIL;
        while (true) {
            Varargs entry = table.next(key);
            key = entry.arg1();
            if (key.isnil()) {
                return attributes;
            }
            if (attributes.size() == MOST_ATTRIBUTES) {
                throw wrong("attributes: expected at most " + MOST_ATTRIBUTES);
            }
            if (!(key instanceof LuaString name) || name.m_length == 0) {
                throw wrong("attributes: expected names, got " + shown(key));
            }
            size += name.m_length + (entry.arg(2) instanceof LuaString text ? text.m_length : 0);
            if (size > LARGEST_ATTRIBUTES) {
                throw wrong("attributes: expected at most %d bytes of names and values together"
                        .formatted(LARGEST_ATTRIBUTES));
            }
            String decoded = text("attributes", name);
            attributes.put(decoded, text("attributes." + LuaText.shown(decoded, 100), entry.arg(2)));
        }
    }

    /** A string, or a number or boolean as one. */
    private static String text(String field, LuaValue value) throws ScriptException {
        if (value.isboolean()) {
            return value.tojstring();
        }
        if (value instanceof LuaNumber) {
            return LuaText.of(value).tojstring();
        }
        if (!(value instanceof LuaString bytes)) {
            throw wrong("%s: expected a string, a number or a boolean, got %s".formatted(field, shown(value)));
        }
        String text = LuaText.decode(bytes);
        if (text == null || text.indexOf(0) >= 0) {
            throw wrong(field + ": expected text in UTF-8 without the character NUL");
        }
        return text;
    }

    private static String shown(LuaValue value) {
        if (value instanceof LuaString text) {
            return "\""
                    + LuaText.shown(
                            text.substring(0, Math.min(text.m_length, 400)).tojstring(), 100) + "\"";
        }
        return value instanceof LuaNumber || value.isboolean()
                ? BaseFunctions.tostring(value).tojstring()
                : value.isnil() ? "nil" : "a " + value.typename();
    }

    private static ScriptException wrong(String message) {
        return new ScriptException(ScriptException.Kind.FAILED, message);
    }
}
