package io.fila.broker.script;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** The part of the library {@code utf8} that takes texts apart and puts them together. */
final class Utf8Functions {

    private Utf8Functions() {}

    static ReadOnlyTable table() {
        ReadOnlyTable table = new ReadOnlyTable();
        table.put("char", Builtin.of("char", Utf8Functions::chars));
        table.put("codepoint", Builtin.of("codepoint", Utf8Functions::codepoint));
        table.put("len", Builtin.of("len", Utf8Functions::len));
        table.put("charpattern", LuaString.valueUsing(new byte[] {
            '[', 0, '-', 0x7f, (byte) 0xc2, '-', (byte) 0xfd, ']', '[', (byte) 0x80, '-', (byte) 0xbf, ']', '*'
        }));
        return table.seal();
    }

    private static Varargs chars(Varargs arguments) {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= arguments.narg(); i++) {
            Run.current().work(1);
            int c = arguments.checkint(i);
            if (!Character.isValidCodePoint(c)) {
                throw new LuaError("bad argument #" + i + " to 'char' (value out of range)");
            }
            text.appendCodePoint(c);
        }
        return LuaText.of(text.toString());
    }

    /** The characters between two bytes, both included. */
    private static Varargs codepoint(Varargs arguments) {
        LuaString bytes = LuaText.argument(arguments, 1);
        int from = arguments.optint(2, 1);
        int to = arguments.optint(3, from);
        if (from < 1 || to > bytes.m_length) {
            throw new LuaError("bad argument #2 to 'codepoint' (out of bounds)");
        }
        if (to < from) {
            return LuaValue.NONE;
        }
        int end = to;
        while (end < bytes.m_length && (bytes.luaByte(end) & 0xc0) == 0x80) {
            end++;
        }
        Run.current().reserve(40L * (end - from + 1));
        Run.current().work(end - from + 1);
        String text = LuaText.decode(bytes.substring(from - 1, end));
        if (text == null) {
            throw new LuaError("invalid UTF-8 code");
        }
        return LuaValue.varargsOf(text.codePoints().mapToObj(LuaValue::valueOf).toArray(LuaValue[]::new));
    }

    /** Nil, and where, if it is no UTF-8. */
    private static Varargs len(Varargs arguments) {
        LuaString bytes = LuaText.argument(arguments, 1);
        Run.current().reserve(4L * bytes.m_length);
        Run.current().work(bytes.m_length / 8);
        String text = LuaText.decode(bytes);
        return text == null ? LuaValue.NIL : LuaValue.valueOf(text.codePointCount(0, text.length()));
    }
}
