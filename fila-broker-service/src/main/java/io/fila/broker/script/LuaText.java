package io.fila.broker.script;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** Texts of scripts, which are bytes, and texts of the broker, which are Unicode. */
final class LuaText {

    private LuaText() {}

    static LuaString of(String text) {
        return LuaString.valueUsing(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A string among arguments, or a number as one. LuaJ's own conversion loses digits. */
    static LuaString argument(Varargs arguments, int index) {
        return arguments.arg(index) instanceof LuaNumber number ? of(number) : arguments.checkstring(index);
    }

    static LuaString argument(Varargs arguments, int index, LuaString absent) {
        return arguments.isnoneornil(index) ? absent : argument(arguments, index);
    }

    /** Of a value that is one of them. */
    static LuaString ofStringOrNumber(LuaValue value) {
        return value instanceof LuaNumber ? of(value) : value.strvalue();
    }

    /** Null if the bytes are no UTF-8. */
    static @Nullable String decode(LuaString bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.m_bytes, bytes.m_offset, bytes.m_length))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** For people to read: whatever is no text is replaced, and it is cut. */
    static String shown(String text, int longest) {
        StringBuilder shown = new StringBuilder();
        text.codePoints()
                .limit(longest)
                .map(c -> c == 0 || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '\uFFFD' : c)
                .forEach(shown::appendCodePoint);
        return shown.toString();
    }

    /** A number as Lua writes it: whole ones without a fraction, others with 14 digits. */
    static LuaString of(LuaValue number) {
        double value = number.todouble();
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return of(Long.toString((long) value));
        }
        return of(NumberFormat.general(value, 14, false, false));
    }
}
