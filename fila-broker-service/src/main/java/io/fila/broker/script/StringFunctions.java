package io.fila.broker.script;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** The library {@code string}, without what makes or reads binary chunks. */
final class StringFunctions {

    private static final String SPECIAL = "^$*+?.([%-";

    private StringFunctions() {}

    static ReadOnlyTable table() {
        ReadOnlyTable table = new ReadOnlyTable();
        table.put("byte", Builtin.of("byte", StringFunctions::bytes));
        table.put("char", Builtin.of("char", StringFunctions::chars));
        table.put("find", Builtin.of("find", arguments -> find(arguments, true)));
        table.put("format", Builtin.of("format", StringFormat::format));
        table.put("gmatch", Builtin.of("gmatch", StringFunctions::gmatch));
        table.put("gsub", Builtin.of("gsub", Substitution::gsub));
        table.put("len", Builtin.of("len", arguments -> LuaValue.valueOf(LuaText.argument(arguments, 1).m_length)));
        table.put("lower", Builtin.of("lower", arguments -> mapped(LuaText.argument(arguments, 1), 'A', 'Z', 32)));
        table.put("match", Builtin.of("match", arguments -> find(arguments, false)));
        table.put("rep", Builtin.of("rep", StringFunctions::rep));
        table.put("reverse", Builtin.of("reverse", StringFunctions::reverse));
        table.put("sub", Builtin.of("sub", StringFunctions::sub));
        table.put("upper", Builtin.of("upper", arguments -> mapped(LuaText.argument(arguments, 1), 'a', 'z', -32)));
        return table.seal();
    }

    /** Where a position that may count from the end is, from 1; at least 1. */
    private static int start(int position, int length) {
        return position > 0 ? position : position == 0 ? 1 : position < -length ? 1 : length + position + 1;
    }

    private static int end(int position, int length) {
        return position > length ? length : position >= 0 ? position : position < -length ? 0 : length + position + 1;
    }

    private static Varargs bytes(Varargs arguments) {
        LuaString text = LuaText.argument(arguments, 1);
        int first = arguments.optint(2, 1);
        int from = start(first, text.m_length);
        int to = end(arguments.optint(3, from), text.m_length);
        int count = Math.max(to - from + 1, 0);
        Run.current().reserve(32L * count);
        Run.current().work(count);
        LuaValue[] values = new LuaValue[count];
        for (int i = 0; i < count; i++) {
            values[i] = LuaValue.valueOf(text.luaByte(from - 1 + i));
        }
        return LuaValue.varargsOf(values);
    }

    private static Varargs chars(Varargs arguments) {
        byte[] bytes = new byte[arguments.narg()];
        Run.current().work(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            int c = arguments.checkint(i + 1);
            if (c < 0 || c > 255) {
                throw new LuaError("bad argument #" + (i + 1) + " to 'char' (value out of range)");
            }
            bytes[i] = (byte) c;
        }
        return LuaString.valueUsing(bytes);
    }

    private static Varargs sub(Varargs arguments) {
        LuaString text = LuaText.argument(arguments, 1);
        int from = start(arguments.checkint(2), text.m_length);
        int to = end(arguments.optint(3, -1), text.m_length);
        return from > to ? LuaValue.EMPTYSTRING : text.substring(from - 1, to);
    }

    private static Varargs reverse(Varargs arguments) {
        LuaString text = LuaText.argument(arguments, 1);
        byte[] bytes = fresh(text.m_length);
        for (int i = 0; i < bytes.length; i++) {
            bytes[bytes.length - 1 - i] = (byte) text.luaByte(i);
        }
        return LuaString.valueUsing(bytes);
    }

    private static LuaString mapped(LuaString text, char first, char last, int by) {
        byte[] bytes = fresh(text.m_length);
        for (int i = 0; i < bytes.length; i++) {
            int c = text.luaByte(i);
            bytes[i] = (byte) (c >= first && c <= last ? c + by : c);
        }
        return LuaString.valueUsing(bytes);
    }

    private static Varargs rep(Varargs arguments) {
        LuaString text = LuaText.argument(arguments, 1);
        int count = arguments.checkint(2);
        LuaString separator = LuaText.argument(arguments, 3, LuaValue.EMPTYSTRING);
        if (count <= 0) {
            return LuaValue.EMPTYSTRING;
        }
        long length = (long) text.m_length * count + (long) separator.m_length * (count - 1);
        Run.current().reserve(length);
        if (length > Integer.MAX_VALUE) {
            throw new LuaError("resulting string too large");
        }
        byte[] bytes = fresh((int) length);
        int at = 0;
        for (int i = 0; i < count && length > 0; i++) {
            if (i > 0) {
                at = copy(separator, bytes, at);
            }
            at = copy(text, bytes, at);
        }
        return LuaString.valueUsing(bytes);
    }

    private static int copy(LuaString text, byte[] to, int at) {
        System.arraycopy(text.m_bytes, text.m_offset, to, at, text.m_length);
        Run.current().work(1);
        return at + text.m_length;
    }

    /** Bytes of a string to be made, which are paid for. */
    static byte[] fresh(int length) {
        Run.current().reserve(length);
        Run.current().work(length / 8);
        return new byte[length];
    }

    private static Varargs find(Varargs arguments, boolean withPositions) {
        LuaString text = LuaText.argument(arguments, 1);
        LuaString pattern = LuaText.argument(arguments, 2);
        int from = start(arguments.optint(3, 1), text.m_length) - 1;
        if (from > text.m_length) {
            return LuaValue.NIL;
        }
        if (withPositions && (arguments.toboolean(4) || !hasSpecial(pattern))) {
            int at = indexOf(text, pattern, from);
            return at < 0
                    ? LuaValue.NIL
                    : LuaValue.varargsOf(LuaValue.valueOf(at + 1), LuaValue.valueOf(at + pattern.m_length));
        }
        Run run = Run.current();
        PatternMatcher matcher = new PatternMatcher(run, text, pattern);
        boolean anchored = pattern.m_length > 0 && pattern.luaByte(0) == '^';
        for (int at = from; at <= text.m_length; at++) {
            int end = matcher.matchAt(at, anchored ? 1 : 0);
            if (end >= 0) {
                return withPositions
                        ? LuaValue.varargsOf(
                                LuaValue.valueOf(at + 1), LuaValue.valueOf(end), matcher.captures(at, end, false))
                        : matcher.captures(at, end, true);
            }
            if (anchored) {
                break;
            }
        }
        return LuaValue.NIL;
    }

    private static boolean hasSpecial(LuaString pattern) {
        Run.current().work(pattern.m_length / 8);
        for (int i = 0; i < pattern.m_length; i++) {
            if (SPECIAL.indexOf(pattern.luaByte(i)) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static int indexOf(LuaString text, LuaString sought, int from) {
        Run run = Run.current();
        for (int at = from; at <= text.m_length - sought.m_length; at++) {
            int i = 0;
            while (i < sought.m_length && text.luaByte(at + i) == sought.luaByte(i)) {
                i++;
            }
            run.work(1 + i / 8);
            if (i == sought.m_length) {
                return at;
            }
        }
        return -1;
    }

    private static Varargs gmatch(Varargs arguments) {
        LuaString text = LuaText.argument(arguments, 1);
        LuaString pattern = LuaText.argument(arguments, 2);
        int[] next = {start(arguments.optint(3, 1), text.m_length) - 1, -1};
        return Builtin.of("gmatch", ignored -> {
            PatternMatcher matcher = new PatternMatcher(Run.current(), text, pattern);
            for (int at = next[0]; at <= text.m_length; at++) {
                int end = matcher.matchAt(at, 0);
                if (end >= 0 && end != next[1]) {
                    next[0] = end;
                    next[1] = end;
                    return matcher.captures(at, end, true);
                }
            }
            next[0] = text.m_length + 1;
            return LuaValue.NIL;
        });
    }

    /** That of strings: so that {@code text:upper()} works. It cannot be looked at or changed. */
    static LuaTable metatable(ReadOnlyTable functions) {
        return new ReadOnlyTable()
                .put("__index", functions)
                .put("__metatable", LuaValue.FALSE)
                .seal();
    }
}
