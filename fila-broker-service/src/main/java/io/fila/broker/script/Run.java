package io.fila.broker.script;

import java.lang.management.ManagementFactory;
import java.time.Duration;

import com.sun.management.ThreadMXBean;
import org.luaj.vm2.Lua;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaDouble;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaFunction;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.DebugLib;

/**
 * One run of a script, as its budget sees it. The interpreter asks before each instruction, and library functions say how much they
 * do; what is used up ends the run. Belongs to the thread that runs the script.
 */
final class Run extends DebugLib {

    /** How many calls of Lua functions may be under way within each other: each takes some of the thread's stack. */
    private static final int DEEPEST = 190;

    /** The same for functions of the library, which take more of it. */
    private static final int DEEPEST_BUILTINS = 100;

    /** Every so many instructions the clock is looked at. */
    private static final int INTERVAL = 8;

    /** Library functions do so much before the clock is looked at. */
    private static final int UNCHECKED_WORK = 64;

    /** What is compared or joined of this length may take a while. */
    private static final int LONG = 1024;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final ThreadLocal<Run> CURRENT = new ThreadLocal<>();

    private final ScriptBudget budget;
    private final long mostNanos;
    private final long mostBytes;

    private final LuaClosure[] closures = new LuaClosure[DEEPEST + 1];
    private final LuaValue[][] stacks = new LuaValue[DEEPEST + 1][];
    private int depth;

    /** Functions of the library that are being called. */
    private int builtins;

    private long steps;
    private int unchecked;
    private long beganAt;
    private long beganAtCpu;
    private long beganAtBytes;

    Run(ScriptBudget budget) {
        this.budget = budget;
        this.mostNanos = budget.time().toNanos();
        this.mostBytes = budget.memory().toBytes();
    }

    /** That of the script which is running on this thread. */
    static Run current() {
        return CURRENT.get();
    }

    /** From here on the budget counts; what was needed to get here does not. */
    void begin() {
        CURRENT.set(this);
        beganAt = System.nanoTime();
        beganAtCpu = THREADS.getCurrentThreadCpuTime();
        beganAtBytes = THREADS.getCurrentThreadAllocatedBytes();
    }

    void end() {
        CURRENT.remove();
    }

    /** So far, on the thread of the run. */
    ScriptUsage usage() {
        return new ScriptUsage(
                steps,
                Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - beganAtCpu),
                THREADS.getCurrentThreadAllocatedBytes() - beganAtBytes);
    }

    /** A library function has done so much, in about as many steps of the machine. */
    void work(int amount) {
        unchecked += amount;
        if (unchecked >= UNCHECKED_WORK) {
            steps += unchecked;
            unchecked = 0;
            check();
        }
    }

    /** So many bytes are about to be allocated. */
    void reserve(long bytes) {
        if (bytes >= LONG && used() + bytes > mostBytes) {
            throw tooMuchMemory();
        }
    }

    /** A function of the library is called, perhaps by another: {@code pcall} of {@code pcall}. To be followed by {@link #leave}. */
    void enter() {
        if (builtins == DEEPEST_BUILTINS) {
            throw new LuaError("stack overflow");
        }
        builtins++;
    }

    void leave() {
        builtins--;
    }

    @Override
    public void onCall(LuaFunction function) {
        // only those in Lua are counted: the others return by themselves
    }

    @Override
    public void onCall(LuaClosure closure, Varargs arguments, LuaValue[] stack) {
        if (depth == DEEPEST) {
            throw new LuaError("stack overflow");
        }
        depth++;
        closures[depth] = closure;
        stacks[depth] = stack;
    }

    @Override
    public void onReturn() {
        depth--;
    }

    @Override
    public void onInstruction(int pc, Varargs arguments, int top) {
        if (++steps % INTERVAL == 0) {
            check();
        }
        int instruction = closures[depth].p.code[pc];
        switch (instruction & 0x3f) {
            case Lua.OP_CALL, Lua.OP_TAILCALL, Lua.OP_TFORCALL ->
                Metamethods.requireCallable(stacks[depth][(instruction >> 6) & 0xff]);
            case Lua.OP_ADD -> requireDirect(instruction, LuaValue.ADD);
            case Lua.OP_SUB -> requireDirect(instruction, LuaValue.SUB);
            case Lua.OP_MUL -> requireDirect(instruction, LuaValue.MUL);
            case Lua.OP_DIV -> requireDirect(instruction, LuaValue.DIV);
            case Lua.OP_MOD -> requireDirect(instruction, LuaValue.MOD);
            case Lua.OP_POW -> requireDirect(instruction, LuaValue.POW);
            case Lua.OP_UNM -> Metamethods.requireDirect(stacks[depth][instruction >>> 23], LuaValue.UNM);
            case Lua.OP_LEN -> Metamethods.requireDirect(stacks[depth][instruction >>> 23], LuaValue.LEN);
            case Lua.OP_CONCAT -> beforeConcatenation(instruction);
            case Lua.OP_EQ -> beforeComparison(instruction, LuaValue.EQ);
            case Lua.OP_LT -> beforeComparison(instruction, LuaValue.LT);
            case Lua.OP_LE -> {
                beforeComparison(instruction, LuaValue.LE);
                // which stands in for it
                requireDirect(instruction, LuaValue.LT);
            }
            default -> {
                // takes no longer than any other, and calls nothing
            }
        }
    }

    /** What an error says of where it comes from is the line alone. */
    @Override
    public String traceback(int level) {
        return "";
    }

    private void beforeConcatenation(int instruction) {
        LuaValue[] stack = stacks[depth];
        int last = (instruction >> 14) & 0x1ff;
        long length = 0;
        boolean isPlain = true;
        for (int i = instruction >>> 23; i <= last; i++) {
            length += stack[i] instanceof LuaString text ? text.m_length : 0;
            isPlain &= stack[i].isstring();
            Metamethods.requireDirect(stack[i], LuaValue.CONCAT);
        }
        for (int i = instruction >>> 23; isPlain && i <= last; i++) {
            if (stack[i] instanceof LuaDouble number) {
                // LuaJ would write it by way of a float; what is joined stands in registers of its own
                stack[i] = LuaText.of(number);
            }
        }
        // the buffer grows by doubling, and is copied to the string
        reserve(3 * length);
    }

    private void beforeComparison(int instruction, LuaValue metamethod) {
        requireDirect(instruction, metamethod);
        if (operand(instruction >>> 23) instanceof LuaString text && text.m_length >= LONG) {
            check();
        }
    }

    private void requireDirect(int instruction, LuaValue metamethod) {
        Metamethods.requireDirect(operand(instruction >>> 23), metamethod);
        Metamethods.requireDirect(operand((instruction >> 14) & 0x1ff), metamethod);
    }

    /** A register, or a constant. */
    private LuaValue operand(int index) {
        return index > 0xff ? closures[depth].p.k[index & 0xff] : stacks[depth][index];
    }

    private void check() {
        if (steps > budget.steps()) {
            throw new BudgetExceeded("took more than %d steps".formatted(budget.steps()));
        }
        if (used() > mostBytes) {
            throw tooMuchMemory();
        }
        // the clock on the wall first: it costs less
        if (System.nanoTime() - beganAt > mostNanos && THREADS.getCurrentThreadCpuTime() - beganAtCpu > mostNanos) {
            throw new BudgetExceeded(
                    "took more than %d ms".formatted(budget.time().toMillis()));
        }
    }

    private long used() {
        return THREADS.getCurrentThreadAllocatedBytes() - beganAtBytes;
    }

    private BudgetExceeded tooMuchMemory() {
        return new BudgetExceeded("took more than %d bytes of memory".formatted(mostBytes));
    }
}
