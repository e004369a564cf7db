package io.fila.broker.script;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** A table that scripts share, and therefore cannot change in any way, once it is sealed. */
final class ReadOnlyTable extends LuaTable {

    private boolean sealed;

    ReadOnlyTable put(String name, LuaValue value) {
        rawset(LuaValue.valueOf(name), value);
        return this;
    }

    ReadOnlyTable seal() {
        sealed = true;
        return this;
    }

    private void requireOpen() {
        if (sealed) {
            throw new LuaError("attempt to change a table of the library");
        }
    }

    @Override
    public void presize(int narray) {
        requireOpen();
        super.presize(narray);
    }

    @Override
    public void presize(int narray, int nhash) {
        requireOpen();
        super.presize(narray, nhash);
    }

    @Override
    public LuaValue setmetatable(LuaValue metatable) {
        requireOpen();
        return super.setmetatable(metatable);
    }

    @Override
    public void set(int key, LuaValue value) {
        requireOpen();
        super.set(key, value);
    }

    @Override
    public void set(LuaValue key, LuaValue value) {
        requireOpen();
        super.set(key, value);
    }

    @Override
    public void rawset(int key, LuaValue value) {
        requireOpen();
        super.rawset(key, value);
    }

    @Override
    public void rawset(LuaValue key, LuaValue value) {
        requireOpen();
        super.rawset(key, value);
    }

    @Override
    public void hashset(LuaValue key, LuaValue value) {
        requireOpen();
        super.hashset(key, value);
    }

    @Override
    public LuaValue remove(int position) {
        requireOpen();
        return super.remove(position);
    }

    @Override
    public void insert(int position, LuaValue value) {
        requireOpen();
        super.insert(position, value);
    }

    @Override
    public void sort(LuaValue comparator) {
        requireOpen();
        super.sort(comparator);
    }
}
