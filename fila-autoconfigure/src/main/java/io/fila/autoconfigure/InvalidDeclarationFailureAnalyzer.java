package io.fila.autoconfigure;

import io.fila.declaration.InvalidDeclarationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/** Explains a wrong listener, throttle or queue instead of showing a stack trace. */
final class InvalidDeclarationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidDeclarationException>
        implements Ordered {

    /** Before Boot's analyzer of binding failures, which would show where but not what to do. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE + 100;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidDeclarationException cause) {
        return new FailureAnalysis(sentence(cause.reason()), sentence(cause.remedy()), cause);
    }

    private static String sentence(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
    }
}
