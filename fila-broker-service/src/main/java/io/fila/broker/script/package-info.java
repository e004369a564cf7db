/**
 * Scripts of queues, in Lua.
 *
 * <p>Promise: a run ends within its budget of time, memory and steps, whatever it does; it finds nothing that another left, and changes
 * nothing that another finds; it reaches neither files nor the network nor classes of the broker. A script that is slow has its own
 * queue's callers wait, and others for a turn at most ({@link io.fila.broker.script.Scripts}).
 *
 * <p>Why every run ends. The interpreter asks {@code Run} before each instruction, and functions of the library say what they do, in
 * loops of theirs for each round; so between two looks at the clock there are eight instructions, or the work of some. What a single
 * instruction can do is bounded: joined texts are paid for before, comparisons of long texts are looked at, metamethods have to be
 * functions ({@code Metamethods}), and a chain of {@code __index} tables ends after a hundred of them. The budget is used up by an
 * error that is none of Lua's, and nothing in LuaJ or here catches it on its way: {@code pcall} and {@code xpcall} are our own, and
 * LuaJ's error hook, which would, is never set. Calls within each other are counted; what recurses on the stack of Java all the same
 * overflows a small one.
 *
 * <p>Why nothing is shared. Globals are made for each run. The tables of the library, and the metatable of strings, which LuaJ keeps for
 * all of the process, are {@code ReadOnlyTable}s; functions of the library hold nothing.
 *
 * <p>Not promised: that a run takes as much memory as its budget says and no more. It counts what has been allocated when it looks, and may
 * be past it by what eight instructions allocate; what a text is joined to is allowed for in full before.
 */
@NullMarked
package io.fila.broker.script;

import org.jspecify.annotations.NullMarked;
