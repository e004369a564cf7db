package io.fila.broker.script;

import java.util.Map;

import io.fila.broker.script.ScriptException.Kind;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;

/**
 * A script, compiled once. Each run begins anew, with globals of its own: it finds nothing of what another left. Safe for use by several
 * threads; a run takes the thread that asks for it.
 */
public final class LuaScript {

    private final ScriptBudget budget;
    private final Library library;
    private final Prototype prototype;
    private final Hook hook;

    LuaScript(ScriptBudget budget, Library library, Prototype prototype, Hook hook) {
        this.budget = budget;
        this.library = library;
        this.prototype = prototype;
        this.hook = hook;
    }

    private interface Reader<A> {
        A read(LuaValue answer) throws ScriptException;
    }

    /** Runs {@code on_enqueue}. */
    public Classification onEnqueue(EnqueuedMessage message) throws ScriptException {
        return answerOf(run(table(message), Answers::classification, false));
    }

    /** Runs {@code on_failure}. */
    public Verdict onFailure(FailedMessage message) throws ScriptException {
        return answerOf(run(table(message), Answers::verdict, false));
    }

    /** Like {@link #onEnqueue}, and says what it used. */
    public Trial<Classification> tryOnEnqueue(EnqueuedMessage message) {
        return run(table(message), Answers::classification, true);
    }

    /** Like {@link #onFailure}, and says what it used. */
    public Trial<Verdict> tryOnFailure(FailedMessage message) {
        return run(table(message), Answers::verdict, true);
    }

    /** Runs what stands outside of functions; throws if there is no function for the hook afterwards. */
    void requireFunction() throws ScriptException {
        Trial<Boolean> trial = run(null, answer -> true, false);
        if (trial.failure() != null) {
            throw trial.failure();
        }
    }

    private static <A> A answerOf(Trial<A> trial) throws ScriptException {
        if (trial.answer() == null) {
            throw trial.failure() == null ? new ScriptException(Kind.FAILED, "no answer") : trial.failure();
        }
        return trial.answer();
    }

    /**
     * @param message null: the function is only looked for
     * @param isMeasured whether what it used is to be told
     */
    private <A> Trial<A> run(@Nullable LuaTable message, Reader<A> reader, boolean isMeasured) {
        Run run = new Run(budget);
        Globals globals = library.globals(run);
        LuaClosure chunk = new LuaClosure(prototype, globals);
        run.begin();
        try {
            chunk.call();
            LuaValue function = globals.rawget(hook.functionName());
            if (!function.isfunction()) {
                throw new ScriptException(
                        Kind.FAILED, "there is no function '%s'; define it".formatted(hook.functionName()));
            }
            return new Trial<>(
                    reader.read(message == null ? LuaValue.NIL : function.call(message)), null, usage(run, isMeasured));
        } catch (ScriptException e) {
            return new Trial<>(null, e, usage(run, isMeasured));
        } catch (BudgetExceeded e) {
            return failed(usage(run, isMeasured), Kind.TIMED_OUT, String.valueOf(e.getMessage()));
        } catch (LuaError e) {
            return failed(usage(run, isMeasured), Kind.FAILED, LuaErrors.messageOf(e));
        } catch (StackOverflowError e) {
            // calls that are not Lua's own, such as metatables that call each other
            return failed(usage(run, isMeasured), Kind.FAILED, "stack overflow");
        } catch (OutOfMemoryError e) {
            return failed(usage(run, isMeasured), Kind.TIMED_OUT, "took more memory than there is");
        } finally {
            run.end();
        }
    }

    /** Nothing, unless it was asked for: looking takes longer than a simple script. */
    private static ScriptUsage usage(Run run, boolean isMeasured) {
        return isMeasured ? run.usage() : ScriptUsage.UNKNOWN;
    }

    private static <A> Trial<A> failed(ScriptUsage usage, Kind kind, String message) {
        return new Trial<>(null, new ScriptException(kind, message), usage);
    }

    private static LuaTable table(EnqueuedMessage message) {
        LuaTable table = new LuaTable(0, 4);
        table.rawset("headers", texts(message.headers()));
        table.rawset("payload_size", LuaValue.valueOf(message.payloadSize()));
        table.rawset("queue", LuaText.of(message.queue()));
        return table;
    }

    private static LuaTable table(FailedMessage message) {
        LuaTable table = new LuaTable(0, 8);
        table.rawset("id", LuaText.of(message.id()));
        table.rawset("headers", texts(message.headers()));
        table.rawset("attempts", LuaValue.valueOf(message.attempts()));
        table.rawset("redrives", LuaValue.valueOf(message.redrives()));
        table.rawset("queue", LuaText.of(message.queue()));
        table.rawset("reason", LuaText.of(message.reason()));
        table.rawset("error", LuaText.of(message.error()));
        return table;
    }

    private static LuaTable texts(Map<String, String> texts) {
        LuaTable table = new LuaTable(0, texts.size());
        texts.forEach((name, text) -> table.rawset(LuaText.of(name), LuaText.of(text)));
        return table;
    }
}
