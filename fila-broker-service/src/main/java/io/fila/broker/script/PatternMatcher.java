package io.fila.broker.script;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * Matches patterns as chapter 6.4.1 of the Lua manual describes them. Every step of the search is work of the run, so that a pattern that
 * tries all ways through a long text ends with the run's budget.
 */
final class PatternMatcher {

    private static final int MOST_CAPTURES = 32;
    private static final int DEEPEST = 200;
    private static final int UNFINISHED = -1;
    private static final int POSITION = -2;
    private static final int NO_MATCH = -1;
    private static final char ESCAPE = '%';

    private final Run run;
    private final LuaString text;
    private final LuaString pattern;
    private final PatternClasses classes;

    private final int[] starts = new int[MOST_CAPTURES];
    private final int[] lengths = new int[MOST_CAPTURES];
    private int level;
    private int depth;

    PatternMatcher(Run run, LuaString text, LuaString pattern) {
        this.run = run;
        this.text = text;
        this.pattern = pattern;
        this.classes = new PatternClasses(run, pattern);
    }

    /** Where a match that begins exactly there ends; negative if there is none. */
    int matchAt(int position, int patternFrom) {
        level = 0;
        depth = 0;
        return match(position, patternFrom);
    }

    /** The captures of the last match; the whole of it if the pattern has none and {@code wholeIfNone}. */
    Varargs captures(int from, int to, boolean wholeIfNone) {
        int count = level == 0 && wholeIfNone ? 1 : level;
        LuaValue[] values = new LuaValue[count];
        for (int i = 0; i < count; i++) {
            values[i] = capture(i, from, to);
        }
        return LuaValue.varargsOf(values);
    }

    LuaString textOf(int from, int to) {
        return text.substring(from, to);
    }

    LuaValue capture(int index, int from, int to) {
        if (index >= level) {
            if (index == 0) {
                return text.substring(from, to);
            }
            throw new LuaError("invalid capture index %" + (index + 1));
        }
        if (lengths[index] == POSITION) {
            return LuaValue.valueOf(starts[index] + 1);
        }
        if (lengths[index] == UNFINISHED) {
            throw new LuaError("unfinished capture");
        }
        return text.substring(starts[index], starts[index] + lengths[index]);
    }

    private int match(int from, int patternFrom) {
        if (++depth > DEEPEST) {
            throw new LuaError("pattern too complex");
        }
        try {
            return matchHere(from, patternFrom);
        } finally {
            depth--;
        }
    }

    private int matchHere(int from, int patternFrom) {
        int s = from;
        int p = patternFrom;
        while (true) {
            run.work(1);
            if (p == pattern.m_length) {
                return s;
            }
            int c = pattern.luaByte(p);
            if (c == '(') {
                return p + 1 < pattern.m_length && pattern.luaByte(p + 1) == ')'
                        ? startCapture(s, p + 2, POSITION)
                        : startCapture(s, p + 1, UNFINISHED);
            }
            if (c == ')') {
                return endCapture(s, p + 1);
            }
            if (c == '$' && p + 1 == pattern.m_length) {
                return s == text.m_length ? s : NO_MATCH;
            }
            if (c == ESCAPE && p + 1 < pattern.m_length) {
                int next = pattern.luaByte(p + 1);
                if (next == 'b') {
                    s = matchBalance(s, p + 2);
                    if (s == NO_MATCH) {
                        return NO_MATCH;
                    }
                    p += 4;
                    continue;
                }
                if (next == 'f') {
                    p += 2;
                    if (p >= pattern.m_length || pattern.luaByte(p) != '[') {
                        throw new LuaError("missing '[' after '%f' in pattern");
                    }
                    int end = classes.end(p);
                    int before = s == 0 ? 0 : text.luaByte(s - 1);
                    int here = s == text.m_length ? 0 : text.luaByte(s);
                    if (classes.isInSet(before, p, end - 1) || !classes.isInSet(here, p, end - 1)) {
                        return NO_MATCH;
                    }
                    p = end;
                    continue;
                }
                if (next >= '0' && next <= '9') {
                    s = matchCapture(s, next);
                    if (s == NO_MATCH) {
                        return NO_MATCH;
                    }
                    p += 2;
                    continue;
                }
            }
            int end = classes.end(p);
            int suffix = end < pattern.m_length ? pattern.luaByte(end) : 0;
            boolean isOne = s < text.m_length && classes.isSingle(text.luaByte(s), p, end);
            switch (suffix) {
                case '?' -> {
                    if (isOne) {
                        int result = match(s + 1, end + 1);
                        if (result != NO_MATCH) {
                            return result;
                        }
                    }
                    p = end + 1;
                }
                case '+' -> {
                    return isOne ? matchMost(s + 1, p, end) : NO_MATCH;
                }
                case '*' -> {
                    return matchMost(s, p, end);
                }
                case '-' -> {
                    return matchLeast(s, p, end);
                }
                default -> {
                    if (!isOne) {
                        return NO_MATCH;
                    }
                    s++;
                    p = end;
                }
            }
        }
    }

    private int matchMost(int s, int p, int end) {
        int count = 0;
        while (s + count < text.m_length && classes.isSingle(text.luaByte(s + count), p, end)) {
            run.work(1);
            count++;
        }
        while (count >= 0) {
            run.work(1);
            int result = match(s + count, end + 1);
            if (result != NO_MATCH) {
                return result;
            }
            count--;
        }
        return NO_MATCH;
    }

    private int matchLeast(int from, int p, int end) {
        int s = from;
        while (true) {
            run.work(1);
            int result = match(s, end + 1);
            if (result != NO_MATCH) {
                return result;
            }
            if (s < text.m_length && classes.isSingle(text.luaByte(s), p, end)) {
                s++;
            } else {
                return NO_MATCH;
            }
        }
    }

    private int startCapture(int s, int p, int what) {
        if (level >= MOST_CAPTURES) {
            throw new LuaError("too many captures");
        }
        starts[level] = s;
        lengths[level] = what;
        level++;
        int result = match(s, p);
        if (result == NO_MATCH) {
            level--;
        }
        return result;
    }

    private int endCapture(int s, int p) {
        int open = openCapture();
        lengths[open] = s - starts[open];
        int result = match(s, p);
        if (result == NO_MATCH) {
            lengths[open] = UNFINISHED;
        }
        return result;
    }

    private int openCapture() {
        for (int i = level - 1; i >= 0; i--) {
            if (lengths[i] == UNFINISHED) {
                return i;
            }
        }
        throw new LuaError("invalid pattern capture");
    }

    private int matchBalance(int s, int p) {
        if (p + 1 >= pattern.m_length) {
            throw new LuaError("missing arguments to '%b'");
        }
        int begin = pattern.luaByte(p);
        int end = pattern.luaByte(p + 1);
        if (s >= text.m_length || text.luaByte(s) != begin) {
            return NO_MATCH;
        }
        int open = 1;
        for (int i = s + 1; i < text.m_length; i++) {
            run.work(1);
            int c = text.luaByte(i);
            if (c == end) {
                if (--open == 0) {
                    return i + 1;
                }
            } else if (c == begin) {
                open++;
            }
        }
        return NO_MATCH;
    }

    private int matchCapture(int s, int digit) {
        int index = digit - '1';
        if (index < 0 || index >= level || lengths[index] == UNFINISHED) {
            throw new LuaError("invalid capture index %" + (index + 1));
        }
        int length = Math.max(lengths[index], 0);
        run.work(length / 8);
        if (text.m_length - s < length) {
            return NO_MATCH;
        }
        for (int i = 0; i < length; i++) {
            if (text.luaByte(starts[index] + i) != text.luaByte(s + i)) {
                return NO_MATCH;
            }
        }
        return s + length;
    }
}
