package io.fila.broker.script;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/**
 * Metamethods have to be functions. Lua would also take tables that can be called, by metamethods of theirs; but LuaJ follows them on the
 * stack of Java, where no step is counted, and a table that is called by calling itself takes long until that overflows.
 */
final class Metamethods {

    private Metamethods() {}

    /** Throws an error if it cannot be called, or only by way of another table. */
    static void requireCallable(LuaValue value) {
        if (value instanceof LuaTable table && !table.metatag(LuaValue.CALL).isfunction()) {
            throw new LuaError("attempt to call a table value");
        }
    }

    /** Throws an error if what would be called for this value is no function. */
    static void requireDirect(LuaValue value, LuaValue name) {
        if (value instanceof LuaTable table
                && table.getmetatable() != null
                && table.metatag(name).istable()) {
            throw new LuaError("'" + name.tojstring() + "' of a metatable is a table, expected a function");
        }
    }
}
