package io.fila.broker.script;

import org.luaj.vm2.Buffer;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** The library {@code table}. */
final class TableFunctions {

    private TableFunctions() {}

    static ReadOnlyTable table() {
        ReadOnlyTable table = new ReadOnlyTable();
        table.put("concat", Builtin.of("concat", TableFunctions::concat));
        table.put("insert", Builtin.of("insert", TableFunctions::insert));
        table.put("move", Builtin.of("move", TableFunctions::move));
        table.put("pack", Builtin.of("pack", TableFunctions::pack));
        table.put("remove", Builtin.of("remove", TableFunctions::remove));
        table.put("sort", Builtin.of("sort", TableFunctions::sort));
        table.put("unpack", Builtin.of("unpack", TableFunctions::unpack));
        return table.seal();
    }

    private static Varargs concat(Varargs arguments) {
        LuaTable table = arguments.checktable(1);
        LuaString separator = LuaText.argument(arguments, 2, LuaValue.EMPTYSTRING);
        int from = arguments.optint(3, 1);
        int to = arguments.isnoneornil(4) ? table.length() : arguments.checkint(4);
        Run run = Run.current();
        Buffer buffer = new Buffer();
        for (long i = from; i <= to; i++) {
            LuaValue value = table.get((int) i);
            if (!value.isstring()) {
                throw new LuaError(
                        "invalid value (a " + value.typename() + ") at index " + i + " in table for 'concat'");
            }
            LuaString text = LuaText.ofStringOrNumber(value);
            run.work(1 + (text.m_length + separator.m_length) / 8);
            run.reserve(2L * (text.m_length + separator.m_length));
            buffer.append(text);
            if (i < to) {
                buffer.append(separator);
            }
        }
        return buffer.tostring();
    }

    private static Varargs insert(Varargs arguments) {
        LuaTable table = arguments.checktable(1);
        int length = table.length();
        switch (arguments.narg()) {
            case 2 -> table.set(length + 1, arguments.arg(2));
            case 3 -> {
                int position = arguments.checkint(2);
                requirePosition(position, 1, length + 1, "insert");
                for (int i = length; i >= position; i--) {
                    Run.current().work(1);
                    table.set(i + 1, table.get(i));
                }
                table.set(position, arguments.arg(3));
            }
            default -> throw new LuaError("wrong number of arguments to 'insert'");
        }
        return LuaValue.NONE;
    }

    private static Varargs remove(Varargs arguments) {
        LuaTable table = arguments.checktable(1);
        int length = table.length();
        if (arguments.narg() < 2) {
            if (length == 0) {
                return LuaValue.NIL;
            }
            LuaValue last = table.get(length);
            table.set(length, LuaValue.NIL);
            return last;
        }
        int position = arguments.checkint(2);
        if (length + 1 != position && !(length == 0 && position == 0)) {
            requirePosition(position, 1, length + 1, "remove");
        }
        LuaValue removed = table.get(position);
        for (int i = position; i < length; i++) {
            Run.current().work(1);
            table.set(i, table.get(i + 1));
        }
        if (position <= length) {
            table.set(length, LuaValue.NIL);
        }
        return removed;
    }

    private static void requirePosition(int position, int first, int last, String function) {
        if (position < first || position > last) {
            throw new LuaError("bad argument #2 to '" + function + "' (position out of bounds)");
        }
    }

    private static Varargs move(Varargs arguments) {
        LuaTable source = arguments.checktable(1);
        int from = arguments.checkint(2);
        int end = arguments.checkint(3);
        int to = arguments.checkint(4);
        LuaTable target = arguments.opttable(5, source);
        long count = (long) end - from + 1;
        boolean isBackwards = target == source && to > from;
        for (long n = 0; n < count; n++) {
            Run.current().work(1);
            int i = (int) (isBackwards ? count - 1 - n : n);
            target.set(to + i, source.get(from + i));
        }
        return target;
    }

    private static Varargs pack(Varargs arguments) {
        Run.current().work(arguments.narg());
        Run.current().reserve(16L * arguments.narg());
        LuaTable table = new LuaTable(arguments.narg(), 1);
        for (int i = 1; i <= arguments.narg(); i++) {
            table.rawset(i, arguments.arg(i));
        }
        table.rawset("n", arguments.narg());
        return table;
    }

    private static Varargs unpack(Varargs arguments) {
        LuaTable table = arguments.checktable(1);
        int from = arguments.optint(2, 1);
        int to = arguments.isnoneornil(3) ? table.length() : arguments.checkint(3);
        long count = (long) to - from + 1;
        if (count <= 0) {
            return LuaValue.NONE;
        }
        Run.current().reserve(8 * count);
        if (count > 100_000) {
            throw new LuaError("too many results to unpack");
        }
        LuaValue[] values = new LuaValue[(int) count];
        for (int i = 0; i < count; i++) {
            Run.current().work(1);
            values[i] = table.get(from + i);
        }
        return LuaValue.varargsOf(values);
    }

    /** By merging: an order that contradicts itself only leads to an odd result. */
    private static Varargs sort(Varargs arguments) {
        LuaTable table = arguments.checktable(1);
        LuaValue comparator = arguments.isnoneornil(2) ? LuaValue.NIL : arguments.checkfunction(2);
        int length = table.length();
        Run.current().reserve(16L * length);
        LuaValue[] values = new LuaValue[length];
        for (int i = 0; i < length; i++) {
            Run.current().work(1);
            values[i] = table.get(i + 1);
        }
        mergeSort(values, new LuaValue[length], 0, length, comparator);
        for (int i = 0; i < length; i++) {
            Run.current().work(1);
            table.set(i + 1, values[i]);
        }
        return LuaValue.NONE;
    }

    private static void mergeSort(LuaValue[] values, LuaValue[] spare, int from, int to, LuaValue comparator) {
        if (to - from < 2) {
            return;
        }
        int middle = (from + to) >>> 1;
        mergeSort(values, spare, from, middle, comparator);
        mergeSort(values, spare, middle, to, comparator);
        int left = from;
        int right = middle;
        for (int i = from; i < to; i++) {
            boolean takesLeft = right == to || left < middle && !isLess(values[right], values[left], comparator);
            spare[i] = takesLeft ? values[left++] : values[right++];
        }
        System.arraycopy(spare, from, values, from, to - from);
    }

    private static boolean isLess(LuaValue a, LuaValue b, LuaValue comparator) {
        Run.current().work(4);
        if (!comparator.isnil()) {
            return comparator.call(a, b).toboolean();
        }
        Metamethods.requireDirect(a, LuaValue.LT);
        Metamethods.requireDirect(b, LuaValue.LT);
        return a.lt_b(b);
    }
}
