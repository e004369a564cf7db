package io.fila.broker.script;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;

/** The parts of a pattern that stand for single characters: a character, a class such as {@code %a}, a set such as {@code [%w_]}. */
record PatternClasses(Run run, LuaString pattern) {

    private static final char ESCAPE = '%';

    /** Where the single-character class that begins there ends. */
    int end(int from) {
        int p = from;
        int c = pattern.luaByte(p++);
        if (c == ESCAPE) {
            if (p == pattern.m_length) {
                throw new LuaError("malformed pattern (ends with '%')");
            }
            return p + 1;
        }
        if (c == '[') {
            if (p < pattern.m_length && pattern.luaByte(p) == '^') {
                p++;
            }
            do {
                if (p >= pattern.m_length) {
                    throw new LuaError("malformed pattern (missing ']')");
                }
                if (pattern.luaByte(p++) == ESCAPE) {
                    p++;
                }
            } while (p >= pattern.m_length || pattern.luaByte(p) != ']');
            return p + 1;
        }
        return p;
    }

    boolean isSingle(int c, int p, int end) {
        return switch (pattern.luaByte(p)) {
            case '.' -> true;
            case ESCAPE -> isOfClass(c, pattern.luaByte(p + 1));
            case '[' -> isInSet(c, p, end - 1);
            default -> pattern.luaByte(p) == c;
        };
    }

    /** @param last where the closing bracket is */
    boolean isInSet(int c, int first, int last) {
        int p = first + 1;
        boolean positive = true;
        if (pattern.luaByte(p) == '^') {
            positive = false;
            p++;
        }
        while (p < last) {
            run.work(1);
            if (pattern.luaByte(p) == ESCAPE && p + 1 < last) {
                if (isOfClass(c, pattern.luaByte(p + 1))) {
                    return positive;
                }
                p += 2;
            } else if (p + 2 < last && pattern.luaByte(p + 1) == '-') {
                if (pattern.luaByte(p) <= c && c <= pattern.luaByte(p + 2)) {
                    return positive;
                }
                p += 3;
            } else {
                if (pattern.luaByte(p) == c) {
                    return positive;
                }
                p++;
            }
        }
        return !positive;
    }

    private static boolean isOfClass(int c, int name) {
        boolean is = switch (name | 0x20) {
            case 'a' -> isLetter(c);
            case 'c' -> c < 32 || c == 127;
            case 'd' -> isDigit(c);
            case 'g' -> c > 32 && c < 127;
            case 'l' -> c >= 'a' && c <= 'z';
            case 'p' -> c > 32 && c < 127 && !isLetter(c) && !isDigit(c);
            case 's' -> c == ' ' || c >= 9 && c <= 13;
            case 'u' -> c >= 'A' && c <= 'Z';
            case 'w' -> isLetter(c) || isDigit(c);
            case 'x' -> isDigit(c) || (c | 0x20) >= 'a' && (c | 0x20) <= 'f';
            default -> {
                yield name == c;
            }
        };
        return isLetter(name) && "acdglpsuwx".indexOf(name | 0x20) >= 0 && name < 'a' ? !is : is;
    }

    private static boolean isLetter(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }
}
