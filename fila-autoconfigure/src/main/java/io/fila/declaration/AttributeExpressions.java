package io.fila.declaration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Evaluates placeholders and SpEL in the string attributes of annotations. */
public final class AttributeExpressions {

    private final ConfigurableBeanFactory beans;
    private final BeanExpressionContext context;

    public AttributeExpressions(ConfigurableBeanFactory beans) {
        this.beans = beans;
        this.context = new BeanExpressionContext(beans, null);
    }

    /** The value as text; empty if it evaluates to null. */
    public String text(String attribute) {
        Object value = value(attribute);
        return value == null ? "" : value.toString().strip();
    }

    /** The value as it is: SpEL may yield any object. */
    public @Nullable Object value(String attribute) {
        String resolved = beans.resolveEmbeddedValue(attribute);
        BeanExpressionResolver spel = beans.getBeanExpressionResolver();
        return spel == null || resolved == null ? resolved : spel.evaluate(resolved, context);
    }

    /** The values as texts; SpEL that yields a collection or an array contributes its elements. */
    List<String> texts(String[] attributes) {
        List<String> texts = new ArrayList<>();
        for (String attribute : attributes) {
            Object value = value(attribute);
            if (value instanceof Collection<?> several) {
                several.forEach(one -> texts.add(String.valueOf(one)));
            } else if (value instanceof Object[] several) {
                Arrays.stream(several).forEach(one -> texts.add(String.valueOf(one)));
            } else if (value != null) {
                texts.add(value.toString());
            }
        }
        return texts;
    }
}
