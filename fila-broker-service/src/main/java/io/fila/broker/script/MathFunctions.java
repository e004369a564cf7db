package io.fila.broker.script;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleUnaryOperator;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaInteger;
import org.luaj.vm2.LuaNumber;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.jse.JseMathLib;

/** The library {@code math}. */
final class MathFunctions {

    static {
        // the operator ^ goes by it
        new JseMathLib();
    }

    private MathFunctions() {}

    static ReadOnlyTable table() {
        ReadOnlyTable table = new ReadOnlyTable();
        put(table, "acos", Math::acos);
        put(table, "asin", Math::asin);
        put(table, "cos", Math::cos);
        put(table, "exp", Math::exp);
        put(table, "sin", Math::sin);
        put(table, "sqrt", Math::sqrt);
        put(table, "tan", Math::tan);
        put(table, "abs", Math::abs);
        put(table, "ceil", Math::ceil);
        put(table, "floor", Math::floor);
        put(table, "deg", Math::toDegrees);
        put(table, "rad", Math::toRadians);
        table.put(
                "atan",
                Builtin.of(
                        "atan",
                        arguments ->
                                LuaValue.valueOf(Math.atan2(arguments.checkdouble(1), arguments.optdouble(2, 1)))));
        table.put(
                "fmod",
                Builtin.of("fmod", arguments -> LuaValue.valueOf(arguments.checkdouble(1) % arguments.checkdouble(2))));
        table.put("log", Builtin.of("log", MathFunctions::log));
        table.put("max", Builtin.of("max", arguments -> extreme(arguments, true)));
        table.put("min", Builtin.of("min", arguments -> extreme(arguments, false)));
        table.put("modf", Builtin.of("modf", MathFunctions::modf));
        table.put("random", Builtin.of("random", MathFunctions::random));
        table.put("tointeger", Builtin.of("tointeger", MathFunctions::tointeger));
        table.put("type", Builtin.of("type", MathFunctions::type));
        table.put("huge", LuaValue.valueOf(Double.POSITIVE_INFINITY));
        table.put("pi", LuaValue.valueOf(Math.PI));
        return table.seal();
    }

    private static void put(ReadOnlyTable table, String name, DoubleUnaryOperator function) {
        table.put(
                name,
                Builtin.of(name, arguments -> LuaValue.valueOf(function.applyAsDouble(arguments.checkdouble(1)))));
    }

    private static Varargs log(Varargs arguments) {
        double value = Math.log(arguments.checkdouble(1));
        return LuaValue.valueOf(arguments.isnoneornil(2) ? value : value / Math.log(arguments.checkdouble(2)));
    }

    private static Varargs extreme(Varargs arguments, boolean largest) {
        double result = arguments.checkdouble(1);
        for (int i = 2; i <= arguments.narg(); i++) {
            Run.current().work(1);
            double value = arguments.checkdouble(i);
            result = largest == value > result ? value : result;
        }
        return LuaValue.valueOf(result);
    }

    private static Varargs modf(Varargs arguments) {
        double value = arguments.checkdouble(1);
        double whole = value > 0 ? Math.floor(value) : Math.ceil(value);
        double fraction = Double.isInfinite(value) ? 0 : value - whole;
        return LuaValue.varargsOf(LuaValue.valueOf(whole), LuaValue.valueOf(fraction));
    }

    private static Varargs random(Varargs arguments) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (arguments.narg() == 0) {
            return LuaValue.valueOf(random.nextDouble());
        }
        int first = arguments.narg() == 1 ? 1 : arguments.checkint(1);
        int last = arguments.checkint(arguments.narg() == 1 ? 1 : 2);
        if (first > last) {
            throw new LuaError("bad argument #" + arguments.narg() + " to 'random' (interval is empty)");
        }
        return LuaValue.valueOf(random.nextLong(first, last + 1L));
    }

    private static Varargs tointeger(Varargs arguments) {
        LuaValue value = arguments.arg1();
        boolean isWhole = value instanceof LuaNumber
                && value.todouble() == Math.rint(value.todouble())
                && !Double.isInfinite(value.todouble());
        return isWhole ? value : LuaValue.NIL;
    }

    /** A whole number that fits is an integer, however it came about. */
    private static Varargs type(Varargs arguments) {
        LuaValue value = arguments.checkvalue(1);
        if (!(value instanceof LuaNumber)) {
            return LuaValue.NIL;
        }
        return LuaText.of(value instanceof LuaInteger ? "integer" : "float");
    }
}
