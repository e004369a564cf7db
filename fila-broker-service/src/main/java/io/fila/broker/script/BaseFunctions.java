package io.fila.broker.script;

import java.util.Map;
import java.util.function.UnaryOperator;

import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** The functions that Lua has beside its libraries, but for those that load code, read files or print. */
final class BaseFunctions {

    private static final LuaString METATABLE = LuaText.of("__metatable");
    private static final LuaString TOSTRING = LuaText.of("__tostring");
    private static final LuaString PAIRS = LuaText.of("__pairs");

    private static final Builtin NEXT = Builtin.of("next", arguments -> {
        Run.current().work(2);
        return arguments.checktable(1).next(arguments.arg(2));
    });

    private static final Builtin INEXT = Builtin.of("inext", arguments -> {
        int index = arguments.checkint(2) + 1;
        LuaValue value = arguments.checkvalue(1).get(index);
        return value.isnil() ? LuaValue.NIL : LuaValue.varargsOf(LuaValue.valueOf(index), value);
    });

    /** By name. */
    static final Map<LuaString, Builtin> ALL = Map.ofEntries(
            entry("assert", BaseFunctions::assertion),
            entry("error", BaseFunctions::error),
            entry("getmetatable", BaseFunctions::getmetatable),
            entry("ipairs", arguments -> LuaValue.varargsOf(INEXT, arguments.checkvalue(1), LuaValue.ZERO)),
            Map.entry(LuaText.of("next"), NEXT),
            entry("pairs", BaseFunctions::pairs),
            entry("pcall", BaseFunctions::pcall),
            entry(
                    "rawequal",
                    arguments -> LuaValue.valueOf(arguments.checkvalue(1).raweq(arguments.checkvalue(2)))),
            entry("rawget", arguments -> arguments.checktable(1).rawget(arguments.checkvalue(2))),
            entry("rawlen", BaseFunctions::rawlen),
            entry("rawset", BaseFunctions::rawset),
            entry("select", BaseFunctions::select),
            entry("setmetatable", BaseFunctions::setmetatable),
            entry("tonumber", BaseFunctions::tonumber),
            entry("tostring", arguments -> tostring(arguments.checkvalue(1))),
            entry("type", arguments -> LuaText.of(arguments.checkvalue(1).typename())),
            entry("xpcall", BaseFunctions::xpcall));

    private BaseFunctions() {}

    private static Map.Entry<LuaString, Builtin> entry(String name, UnaryOperator<Varargs> body) {
        return Map.entry(LuaText.of(name), Builtin.of(name, body));
    }

    private static Varargs assertion(Varargs arguments) {
        if (arguments.checkvalue(1).toboolean()) {
            return arguments;
        }
        throw arguments.narg() > 1 ? new LuaError(arguments.arg(2)) : new LuaError("assertion failed!");
    }

    private static Varargs error(Varargs arguments) {
        LuaValue value = arguments.arg1();
        // a text is told with where it comes from; any other value is handed on as it is
        if (value instanceof LuaString bytes && arguments.optint(2, 1) != 0) {
            String text = LuaText.decode(bytes);
            throw new LuaError(text == null ? bytes.tojstring() : text);
        }
        throw new LuaError(value);
    }

    private static Varargs getmetatable(Varargs arguments) {
        LuaValue metatable = arguments.checkvalue(1).getmetatable();
        if (metatable == null) {
            return LuaValue.NIL;
        }
        LuaValue shown = metatable.rawget(METATABLE);
        return shown.isnil() ? metatable : shown;
    }

    private static Varargs setmetatable(Varargs arguments) {
        LuaTable table = arguments.checktable(1);
        LuaValue present = table.getmetatable();
        if (present != null && !present.rawget(METATABLE).isnil()) {
            throw new LuaError("cannot change a protected metatable");
        }
        LuaValue metatable = arguments.checkvalue(2);
        if (!metatable.isnil() && !metatable.istable()) {
            throw new LuaError("bad argument #2 to 'setmetatable' (nil or table expected)");
        }
        return table.setmetatable(metatable.isnil() ? null : metatable);
    }

    private static Varargs pairs(Varargs arguments) {
        LuaValue value = arguments.checkvalue(1);
        LuaValue iterator = value.metatag(PAIRS);
        Metamethods.requireDirect(value, PAIRS);
        if (iterator.isnil()) {
            return LuaValue.varargsOf(NEXT, value.checktable(), LuaValue.NIL);
        }
        Varargs triple = iterator.invoke(value);
        return LuaValue.varargsOf(triple.arg(1), triple.arg(2), triple.arg(3));
    }

    private static Varargs pcall(Varargs arguments) {
        LuaValue function = arguments.checkvalue(1);
        try {
            Metamethods.requireCallable(function);
            return LuaValue.varargsOf(LuaValue.TRUE, function.invoke(arguments.subargs(2)));
        } catch (LuaError e) {
            return LuaValue.varargsOf(LuaValue.FALSE, valueOf(e));
        }
    }

    private static Varargs xpcall(Varargs arguments) {
        LuaValue function = arguments.checkvalue(1);
        LuaValue handler = arguments.checkvalue(2);
        Metamethods.requireCallable(handler);
        try {
            Metamethods.requireCallable(function);
            return LuaValue.varargsOf(LuaValue.TRUE, function.invoke(arguments.subargs(3)));
        } catch (LuaError e) {
            return LuaValue.varargsOf(LuaValue.FALSE, handler.invoke(valueOf(e)));
        }
    }

    /** What {@code pcall} answers with. */
    static LuaValue valueOf(LuaError error) {
        LuaValue value = error.getMessageObject();
        if (value == null) {
            return LuaValue.NIL;
        }
        return value instanceof LuaString ? LuaText.of(LuaErrors.messageOf(error)) : value;
    }

    private static Varargs rawlen(Varargs arguments) {
        LuaValue value = arguments.checkvalue(1);
        if (!value.istable() && !(value instanceof LuaString)) {
            throw new LuaError("table or string expected");
        }
        return LuaValue.valueOf(value.rawlen());
    }

    private static Varargs rawset(Varargs arguments) {
        LuaTable table = arguments.checktable(1);
        LuaValue key = arguments.checkvalue(2);
        if (!key.isvalidkey()) {
            throw new LuaError("table index is nil or NaN");
        }
        table.rawset(key, arguments.checkvalue(3));
        return table;
    }

    private static Varargs select(Varargs arguments) {
        if (arguments.arg1() instanceof LuaString text && text.m_length == 1 && text.luaByte(0) == '#') {
            return LuaValue.valueOf(arguments.narg() - 1);
        }
        int index = arguments.checkint(1);
        int count = arguments.narg() - 1;
        if (index == 0 || index < -count) {
            throw new LuaError("bad argument #1 to 'select' (index out of range)");
        }
        return arguments.subargs(index < 0 ? count + index + 2 : index + 1);
    }

    private static Varargs tonumber(Varargs arguments) {
        LuaValue value = arguments.checkvalue(1);
        if (arguments.isnoneornil(2)) {
            Run.current().work(value instanceof LuaString text ? text.m_length : 1);
            return value.tonumber();
        }
        int base = arguments.checkint(2);
        if (base < 2 || base > 36) {
            throw new LuaError("bad argument #2 to 'tonumber' (base out of range)");
        }
        LuaString text = LuaText.argument(arguments, 1);
        Run.current().work(text.m_length);
        return text.tonumber(base);
    }

    static LuaString tostring(LuaValue value) {
        LuaValue conversion = value.metatag(TOSTRING);
        if (!conversion.isnil()) {
            Metamethods.requireDirect(value, TOSTRING);
            LuaValue text = conversion.call(value);
            if (!text.isstring()) {
                throw new LuaError("'__tostring' must return a string");
            }
            return LuaText.ofStringOrNumber(text);
        }
        if (value instanceof LuaString text) {
            return text;
        }
        if (value instanceof LuaNumber) {
            return LuaText.of(value);
        }
        if (value.isnil() || value.isboolean()) {
            return LuaText.of(value.tojstring());
        }
        // never the name or the address of what the broker has
        return LuaText.of(value instanceof LuaClosure || value.isfunction() ? "function" : value.typename());
    }
}
