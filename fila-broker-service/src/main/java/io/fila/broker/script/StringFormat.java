package io.fila.broker.script;

import java.util.Locale;

import org.luaj.vm2.Buffer;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** {@code string.format}: as C's printf has it, with widths and precisions of two digits at most. */
final class StringFormat {

    private static final int DEFAULT_DIGITS = 6;

    private StringFormat() {}

    /** What stands between the percent sign and the conversion. */
    private record Spec(String flags, int width, int precision, char conversion) {

        boolean has(char flag) {
            return flags.indexOf(flag) >= 0;
        }

        int digits() {
            return precision < 0 ? DEFAULT_DIGITS : precision;
        }
    }

    static Varargs format(Varargs arguments) {
        LuaString format = LuaText.argument(arguments, 1);
        Run run = Run.current();
        Buffer result = new Buffer(Math.min(format.m_length, 256));
        int argument = 1;
        int at = 0;
        while (at < format.m_length) {
            run.work(1);
            int c = format.luaByte(at++);
            if (c != '%') {
                result.append((byte) c);
                continue;
            }
            if (at < format.m_length && format.luaByte(at) == '%') {
                result.append((byte) '%');
                at++;
                continue;
            }
            int end = endOfSpec(format, at);
            Spec spec = spec(format, at, end);
            at = end + 1;
            LuaString text = converted(spec, arguments, ++argument);
            run.reserve(2L * text.m_length);
            run.work(text.m_length / 8);
            result.append(text);
        }
        return result.tostring();
    }

    private static int endOfSpec(LuaString format, int from) {
        int at = from;
        while (at < format.m_length && "-+ #0123456789.".indexOf(format.luaByte(at)) >= 0) {
            at++;
        }
        if (at == format.m_length) {
            throw new LuaError("invalid conversion '%' to 'format'");
        }
        return at;
    }

    private static Spec spec(LuaString format, int from, int end) {
        int at = from;
        while (at < end && "-+ #0".indexOf(format.luaByte(at)) >= 0) {
            at++;
        }
        String flags = text(format, from, at);
        int dot = at;
        while (dot < end && format.luaByte(dot) != '.') {
            dot++;
        }
        String width = text(format, at, dot);
        String precision = dot < end ? text(format, dot + 1, end) : "-1";
        if (flags.length() > 5 || width.length() > 2 || precision.length() > 2 || precision.indexOf('.') >= 0) {
            throw new LuaError(
                    "invalid conversion '%" + text(format, from, Math.min(end + 1, from + 20)) + "' to 'format'");
        }
        return new Spec(
                flags,
                width.isEmpty() ? 0 : Integer.parseInt(width),
                precision.isEmpty() ? 0 : Integer.parseInt(precision),
                (char) format.luaByte(end));
    }

    private static String text(LuaString format, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append((char) format.luaByte(i));
        }
        return text.toString();
    }

    private static LuaString converted(Spec spec, Varargs arguments, int index) {
        return switch (spec.conversion()) {
            case 'c' -> padded(spec, LuaString.valueUsing(new byte[] {(byte) arguments.checkint(index)}));
            case 'd', 'i' ->
                number(
                        spec,
                        whole(Long.toString(Math.abs(integer(arguments, index))), spec),
                        integer(arguments, index) < 0);
            case 'u' -> number(spec, whole(Long.toUnsignedString(integer(arguments, index)), spec), false);
            case 'o' -> number(spec, whole(Long.toOctalString(integer(arguments, index)), spec), false);
            case 'x' -> number(spec, hex(Long.toHexString(integer(arguments, index)), spec), false);
            case 'X' ->
                number(
                        spec,
                        hex(Long.toHexString(integer(arguments, index)), spec).toUpperCase(Locale.ROOT),
                        false);
            case 'a', 'A', 'e', 'E', 'f', 'F', 'g', 'G' -> real(spec, arguments.checkdouble(index));
            case 'q' -> quoted(arguments.checkvalue(index));
            case 's' -> {
                LuaString text = BaseFunctions.tostring(arguments.checkvalue(index));
                yield padded(
                        spec,
                        spec.precision() >= 0 && spec.precision() < text.m_length
                                ? text.substring(0, spec.precision())
                                : text);
            }
            default -> throw new LuaError("invalid conversion '%" + spec.conversion() + "' to 'format'");
        };
    }

    private static long integer(Varargs arguments, int index) {
        double value = arguments.checkdouble(index);
        if (value != Math.rint(value) || Double.isInfinite(value)) {
            throw new LuaError("bad argument #" + index + " to 'format' (number has no integer representation)");
        }
        return (long) value;
    }

    private static String whole(String digits, Spec spec) {
        return "0".repeat(Math.max(spec.precision() - digits.length(), 0)) + digits;
    }

    private static String hex(String digits, Spec spec) {
        return (spec.has('#') ? "0x" : "") + whole(digits, spec);
    }

    private static LuaString real(Spec spec, double value) {
        double positive = Math.abs(value);
        boolean isNegative = value < 0 || value == 0 && 1 / value < 0;
        boolean upper = Character.isUpperCase(spec.conversion());
        String text = switch (Character.toLowerCase(spec.conversion())) {
            case 'e' -> NumberFormat.fixed(positive, spec.digits(), 'e', upper);
            case 'f' -> NumberFormat.fixed(positive, spec.digits(), 'f', upper);
            case 'g' -> NumberFormat.general(positive, spec.digits(), spec.has('#'), upper);
            default -> upper ? Double.toHexString(positive).toUpperCase(Locale.ROOT) : Double.toHexString(positive);
        };
        return number(spec, text, isNegative);
    }

    /** With its sign, and zeros between the sign and the digits if it is to be filled with them. */
    private static LuaString number(Spec spec, String digits, boolean isNegative) {
        String sign = isNegative ? "-" : spec.has('+') ? "+" : spec.has(' ') ? " " : "";
        int missing = spec.width() - sign.length() - digits.length();
        boolean fills = spec.has('0') && !spec.has('-') && missing > 0 && Character.isLetterOrDigit(digits.charAt(0));
        return padded(spec, LuaText.of(sign + (fills ? "0".repeat(missing) : "") + digits));
    }

    private static LuaString padded(Spec spec, LuaString text) {
        int missing = spec.width() - text.m_length;
        if (missing <= 0) {
            return text;
        }
        LuaString spaces = LuaText.of(" ".repeat(missing));
        return (spec.has('-') ? text.concat(spaces) : spaces.concat(text)).strvalue();
    }

    private static LuaString quoted(LuaValue value) {
        if (!(value instanceof LuaString text)) {
            return BaseFunctions.tostring(value);
        }
        Run.current().reserve(4L * text.m_length);
        Buffer buffer = new Buffer(text.m_length + 2);
        buffer.append((byte) '"');
        for (int i = 0; i < text.m_length; i++) {
            Run.current().work(1);
            int c = text.luaByte(i);
            if (c == '"' || c == '\\' || c == '\n') {
                buffer.append((byte) '\\');
                buffer.append((byte) c);
            } else if (c < 32 || c == 127) {
                boolean isDigitNext = i + 1 < text.m_length && Character.isDigit(text.luaByte(i + 1));
                buffer.append(isDigitNext ? "\\%03d".formatted(c) : "\\" + c);
            } else {
                buffer.append((byte) c);
            }
        }
        buffer.append((byte) '"');
        return buffer.tostring();
    }
}
