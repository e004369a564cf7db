package io.fila.broker.script;

import java.util.function.UnaryOperator;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.VarArgFunction;

/** A function of the library. It holds nothing, so that scripts can share it. */
final class Builtin extends VarArgFunction {

    private final UnaryOperator<Varargs> body;

    private Builtin(String name, UnaryOperator<Varargs> body) {
        this.name = name;
        this.body = body;
    }

    static Builtin of(String name, UnaryOperator<Varargs> body) {
        return new Builtin(name, body);
    }

    @Override
    public Varargs invoke(Varargs arguments) {
        Run run = Run.current();
        run.work(1);
        run.enter();
        try {
            return body.apply(arguments);
        } catch (LuaError e) {
            throw e;
        } catch (RuntimeException e) {
            // never the name of a Java class to a script
            throw new LuaError("bad argument to '" + name + "'");
        } finally {
            run.leave();
        }
    }
}
