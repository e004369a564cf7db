package io.fila.broker.script;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.luaj.vm2.LuaError;

/** What errors of LuaJ say, as an author of a script can understand it. */
final class LuaErrors {

    /** Where it was: as the parser writes it, {@code [string "script"]:3:}, and as the interpreter does, {@code script:3}. */
    private static final Pattern PLACE =
            Pattern.compile("(?:\\[string \"" + LuaEngine.CHUNK + "\"]|" + LuaEngine.CHUNK + "):(\\d+):? ?");

    /** The parser names reserved words by their number, and by the character that has it. */
    private static final Pattern TOKEN = Pattern.compile("unexpected symbol (\\d+) \\((.)\\)", Pattern.DOTALL);

    private static final int FIRST_TOKEN = 257;
    private static final List<String> TOKENS = List.of(
            "and",
            "break",
            "do",
            "else",
            "elseif",
            "end",
            "false",
            "for",
            "function",
            "goto",
            "if",
            "in",
            "local",
            "nil",
            "not",
            "or",
            "repeat",
            "return",
            "then",
            "true",
            "until",
            "while",
            "..",
            "...",
            "==",
            ">=",
            "<=",
            "~=",
            "::",
            "end of the script",
            "a number",
            "a name",
            "a string",
            "end of the script");

    private LuaErrors() {}

    /** What it says, beginning with the line it comes from, if that is known: {@code line 3: attempt to …}. */
    static String messageOf(LuaError error) {
        String message = String.valueOf(error.getMessage()).strip();
        if (message.contains("vm error: ")) {
            // an exception of Java's, which says nothing to the author
            message = message.substring(0, message.indexOf("vm error: ")) + "this is not possible here";
        }
        Matcher place = PLACE.matcher(message);
        String placed = place.lookingAt() ? "line " + place.group(1) + ": " + message.substring(place.end()) : message;
        return TOKEN.matcher(placed.replace("'<eos>' expected", "the end of the script expected"))
                .replaceAll(token -> Matcher.quoteReplacement(
                        "unexpected '" + nameOf(Integer.parseInt(token.group(1)), token.group(2)) + "'"));
    }

    private static String nameOf(int token, String character) {
        int index = token - FIRST_TOKEN;
        return index >= 0 && index < TOKENS.size() ? TOKENS.get(index) : character;
    }
}
