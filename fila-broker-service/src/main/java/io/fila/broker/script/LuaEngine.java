package io.fila.broker.script;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.compiler.LuaC;

/** Compiles scripts. Safe for use by several threads. */
public final class LuaEngine {

    /** What scripts are called where LuaJ says where something is. */
    static final String CHUNK = "script";

    /** The longest source, in bytes. */
    static final int LONGEST_SOURCE = 64 << 10;

    private final ScriptBudget budget;
    private final Library library;

    public LuaEngine(ScriptBudget budget, Configuration configuration) {
        this.budget = budget;
        this.library = new Library(configuration);
    }

    /**
     * Compiles a script, runs it once without a message, and checks that it then has the function of the hook. Throws {@code
     * invalid-script}, which names the field, the line and the reason.
     */
    public LuaScript compile(String field, Hook hook, String source) {
        WarmUp.once();
        LuaScript script = new LuaScript(budget, library, prototype(field, source), hook);
        try {
            script.requireFunction();
        } catch (ScriptException e) {
            throw invalid(field, String.valueOf(e.getMessage()));
        }
        return script;
    }

    static Prototype prototype(String field, String source) {
        byte[] bytes = source.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LONGEST_SOURCE) {
            throw invalid(field, "expected at most %d bytes, got %d".formatted(LONGEST_SOURCE, bytes.length));
        }
        try {
            return LuaC.instance.compile(new ByteArrayInputStream(bytes), CHUNK);
        } catch (LuaError e) {
            throw invalid(field, LuaErrors.messageOf(e));
        } catch (IOException | RuntimeException | StackOverflowError e) {
            // LuaJ's parser fails like this where a source is nested too deeply, or odd in a way that it does not
            // expect
            throw invalid(field, "it cannot be understood, perhaps since it is nested too deeply");
        }
    }

    private static ProblemException invalid(String field, String reason) {
        return new ProblemException(ProblemCode.INVALID_SCRIPT, LuaText.shown(field + ": " + reason, 1_000));
    }
}
