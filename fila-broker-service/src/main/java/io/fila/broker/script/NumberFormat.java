package io.fila.broker.script;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** Numbers as C's printf writes them, for the conversions that Java's own format has otherwise. */
final class NumberFormat {

    private NumberFormat() {}

    /** That of {@code %g}. */
    static String general(double value, int digits, boolean keepsZeros, boolean upperCase) {
        String text = notFinite(value);
        if (text == null) {
            int precision = Math.max(digits, 1);
            String scientific = String.format(Locale.ROOT, "%." + (precision - 1) + "e", value);
            int exponent = Integer.parseInt(scientific.substring(scientific.indexOf('e') + 1));
            if (value == 0) {
                exponent = 0;
            }
            text = exponent < -4 || exponent >= precision
                    ? scientific
                    : String.format(Locale.ROOT, "%." + (precision - 1 - exponent) + "f", value);
            text = keepsZeros ? text : withoutZeros(text);
        }
        return upperCase ? text.toUpperCase(Locale.ROOT) : text;
    }

    /** That of {@code %e} and {@code %f}. */
    static String fixed(double value, int digits, char conversion, boolean upperCase) {
        String text = notFinite(value);
        if (text == null) {
            text = String.format(Locale.ROOT, "%." + digits + conversion, value);
        }
        return upperCase ? text.toUpperCase(Locale.ROOT) : text;
    }

    private static @Nullable String notFinite(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        return null;
    }

    private static String withoutZeros(String text) {
        int mantissaEnd = text.indexOf('e') < 0 ? text.length() : text.indexOf('e');
        int end = mantissaEnd;
        if (text.substring(0, mantissaEnd).indexOf('.') >= 0) {
            while (text.charAt(end - 1) == '0') {
                end--;
            }
            if (text.charAt(end - 1) == '.') {
                end--;
            }
        }
        return text.substring(0, end) + text.substring(mantissaEnd);
    }
}
