package io.fila.broker.script;

import org.luaj.vm2.Buffer;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** {@code string.gsub}: replaces what matches a pattern by a text, by what a table has for it, or by what a function says. */
final class Substitution {

    private static final char ESCAPE = '%';

    private Substitution() {}

    static Varargs gsub(Varargs arguments) {
        LuaString text = LuaText.argument(arguments, 1);
        LuaString pattern = LuaText.argument(arguments, 2);
        LuaValue replacement = arguments.arg(3);
        if (!replacement.isstring() && !replacement.istable() && !replacement.isfunction()) {
            throw new LuaError(
                    "bad argument #3 to 'gsub' (string/function/table expected, got " + replacement.typename() + ")");
        }
        int most = arguments.optint(4, Integer.MAX_VALUE);
        Run run = Run.current();
        boolean anchored = pattern.m_length > 0 && pattern.luaByte(0) == '^';
        PatternMatcher matcher = new PatternMatcher(run, text, pattern);
        Buffer result = new Buffer(Math.min(text.m_length, 256));
        int count = 0;
        int at = 0;
        int lastEnd = -1;
        while (count < most) {
            int end = matcher.matchAt(at, anchored ? 1 : 0);
            if (end >= 0 && end != lastEnd) {
                count++;
                append(result, replaced(matcher, text, at, end, replacement));
                at = end;
                lastEnd = end;
            } else if (at < text.m_length) {
                append(result, text.substring(at, at + 1));
                at++;
            } else {
                break;
            }
            if (anchored) {
                break;
            }
        }
        if (at < text.m_length) {
            append(result, text.substring(at, text.m_length));
        }
        return LuaValue.varargsOf(result.tostring(), LuaValue.valueOf(count));
    }

    private static void append(Buffer buffer, LuaString text) {
        Run.current().work(1 + text.m_length / 8);
        Run.current().reserve(2L * text.m_length);
        buffer.append(text);
    }

    private static LuaString replaced(PatternMatcher matcher, LuaString text, int from, int to, LuaValue by) {
        if (by.isstring()) {
            return expanded(matcher, LuaText.ofStringOrNumber(by), from, to);
        }
        LuaValue value = by.istable()
                ? by.get(matcher.capture(0, from, to))
                : by.invoke(matcher.captures(from, to, true)).arg1();
        if (!value.toboolean()) {
            return text.substring(from, to);
        }
        if (!value.isstring()) {
            throw new LuaError("invalid replacement value (a " + value.typename() + ")");
        }
        return LuaText.ofStringOrNumber(value);
    }

    private static LuaString expanded(PatternMatcher matcher, LuaString by, int from, int to) {
        Buffer buffer = new Buffer(Math.min(by.m_length, 256));
        for (int i = 0; i < by.m_length; i++) {
            int c = by.luaByte(i);
            if (c != ESCAPE) {
                buffer.append((byte) c);
                Run.current().work(1);
                continue;
            }
            i++;
            int name = i < by.m_length ? by.luaByte(i) : 0;
            if (name == ESCAPE) {
                buffer.append((byte) ESCAPE);
            } else if (name == '0') {
                append(buffer, matcher.textOf(from, to));
            } else if (name >= '1' && name <= '9') {
                append(buffer, LuaText.ofStringOrNumber(matcher.capture(name - '1', from, to)));
            } else {
                throw new LuaError("invalid use of '%' in replacement string");
            }
        }
        return buffer.tostring();
    }
}
