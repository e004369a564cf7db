package io.fila.broker.admin;

import io.fila.broker.problem.Names;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamContext;

/** Where a parser is, in the words of a caller: {@code messages[3].headers.customer}. */
record JsonPath(JsonParser parser, String root) {

    boolean isRoot() {
        return toString().isEmpty();
    }

    @Override
    public String toString() {
        StringBuilder path = new StringBuilder();
        append(parser.streamReadContext(), path);
        return path.toString();
    }

    private void append(TokenStreamContext context, StringBuilder path) {
        TokenStreamContext parent = context.getParent();
        if (parent == null) {
            return;
        }
        append(parent, path);
        if (parent.inRoot() && context.inArray()) {
            path.append(root);
        }
        if (context.inArray() && context.hasCurrentIndex()) {
            path.append('[').append(context.getCurrentIndex()).append(']');
        } else if (context.inObject() && context.currentName() != null) {
            path.append(path.isEmpty() ? "" : ".").append(Names.shown(context.currentName()));
        }
    }
}
