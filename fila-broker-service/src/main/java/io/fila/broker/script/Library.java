package io.fila.broker.script;

import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;

/**
 * What scripts find around them: all of it is shared by all runs and cannot be changed, but for the table of globals, which is a run's
 * own.
 */
final class Library {

    private static final ReadOnlyTable STRING = StringFunctions.table();
    private static final ReadOnlyTable TABLE = TableFunctions.table();
    private static final ReadOnlyTable MATH = MathFunctions.table();
    private static final ReadOnlyTable UTF8 = Utf8Functions.table();
    private static final LuaString VERSION = LuaText.of("Lua 5.4, in part");

    static {
        // for all of the process: nothing else in it runs Lua
        LuaString.s_metatable = StringFunctions.metatable(STRING);
    }

    private final ReadOnlyTable fila;

    Library(Configuration configuration) {
        this.fila = new ReadOnlyTable()
                .put("get", Builtin.of("get", arguments -> {
                    String key = LuaText.decode(LuaText.argument(arguments, 1));
                    String value = key == null ? null : configuration.get(key);
                    if (value == null) {
                        return LuaTable.NIL;
                    }
                    Run.current().reserve(2L * value.length());
                    return LuaText.of(value);
                }))
                .seal();
    }

    /** The globals of a run, which are counted by it. */
    Globals globals(Run run) {
        Globals globals = new Globals();
        globals.debuglib = run;
        globals.presize(0, 32);
        BaseFunctions.ALL.forEach((name, function) -> globals.rawset(name, function));
        globals.rawset("_G", globals);
        globals.rawset("_VERSION", VERSION);
        globals.rawset("string", STRING);
        globals.rawset("table", TABLE);
        globals.rawset("math", MATH);
        globals.rawset("utf8", UTF8);
        globals.rawset("fila", fila);
        return globals;
    }
}
