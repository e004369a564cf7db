package io.fila.declaration;

import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.fila.client.MissingKey;
import io.fila.client.ThrottleSpec;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.expression.StandardBeanExpressionResolver;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ThrottleResolverTests {

    private static final ThrottleSpec REPORTING =
            ThrottleSpec.of("reporting", "2/1s").keyedBy("fairnessKey");

    @Test
    void takesWhatTheAnnotationSays() {
        assertThat(resolve("complete"))
                .containsExactly(
                        ThrottleSpec.of("stripe", "60/1m", "20/1s"),
                        ThrottleSpec.of("per-customer", "10/1s")
                                .keyedBy("header:customer", "attribute:region")
                                .whenKeyMissing(MissingKey.UNTHROTTLED));
    }

    @Test
    void expandsPlaceholdersAndExpressions() {
        assertThat(resolve("expanded"))
                .containsExactly(ThrottleSpec.of("stripe-eu", "60/1m", "20/1s", "5/100ms")
                        .keyedBy("header:a", "header:b"));
    }

    @Test
    void takesTheDefaultOfAPlaceholder() {
        assertThat(resolve("defaulted")).containsExactly(ThrottleSpec.of("provider", "8/1s"));
    }

    @Test
    void takesTheWholeDefinitionWhenThereAreNoLimits() {
        assertThat(resolve("byName")).containsExactly(REPORTING);
    }

    @Test
    void findsMetaAnnotations() {
        assertThat(resolve("composed"))
                .containsExactlyInAnyOrder(ThrottleSpec.of("stripe", "7/1s"), ThrottleSpec.of("other", "1/1s"));
    }

    @Test
    void refusesAnUnknownNameAndTellsTheRemedy() {
        assertThatThrownBy(() -> resolve("unknown"))
                .isInstanceOf(InvalidDeclarationException.class)
                .hasMessage("throttle 'absent' has no limits and is not defined; defined are [reporting]; "
                        + "define fila.throttles.absent.limits, or give limits in the annotation");
    }

    @Test
    void refusesAKeyBesideADefinition() {
        assertThatThrownBy(() -> resolve("keyWithoutLimits"))
                .hasMessageContaining("move them to fila.throttles.reporting");
    }

    @Test
    void refusesOneNameTwice() {
        assertThatThrownBy(() -> resolve("twice")).hasMessageContaining("throttle 'a' is declared twice");
    }

    @Test
    void refusesAThrottleWithoutAName() {
        assertThatThrownBy(() -> resolve("nameless")).hasMessageContaining("a throttle has no name");
    }

    @Test
    void refusesMoreThrottlesThanTheBrokerTakes() {
        assertThat(resolver().resolve(throttled(20))).hasSize(20);
        assertThatThrownBy(() -> resolver().resolve(throttled(21)))
                .hasMessage("there are 21 throttles; give a listener at most 20");
    }

    private static AnnotatedElement throttled(int throttles) {
        return AnnotatedElementUtils.forAnnotations(IntStream.range(0, throttles)
                .mapToObj(i -> Map.<String, Object>of("name", "t" + i, "limits", "1/1s"))
                .map(attributes -> AnnotationUtils.synthesizeAnnotation(attributes, Throttle.class, null))
                .toArray(Annotation[]::new));
    }

    private static List<ThrottleSpec> resolve(String method) {
        try {
            return resolver().resolve(Listeners.class.getDeclaredMethod(method));
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static ThrottleResolver resolver() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("limits", "60/1m, 20/1s", "region", "eu")));
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.addEmbeddedValueResolver(environment::resolveRequiredPlaceholders);
        beans.setBeanExpressionResolver(new StandardBeanExpressionResolver());
        beans.registerSingleton("keys", List.of("header:a", "header:b"));
        return new ThrottleResolver(new AttributeExpressions(beans), new ThrottleDefinitions(List.of(REPORTING)));
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Throttle(name = "stripe")
    @interface Stripe {

        @AliasFor(annotation = Throttle.class, attribute = "limits")
        String[] limits();
    }

    static class Listeners {

        @Throttle(
                name = "stripe",
                limits = {"60/1m", "20/1s"})
        @Throttle(
                name = "per-customer",
                limits = "10/1s",
                key = {"header:customer", "attribute:region"},
                whenKeyMissing = MissingKey.UNTHROTTLED)
        void complete() {}

        @Throttle(
                name = "stripe-${region}",
                limits = {"${limits}", "#{2 + 3}/100ms"},
                key = "#{@keys}")
        void expanded() {}

        @Throttle(name = "provider", limits = "${sample.rate:8/1s}")
        void defaulted() {}

        @Throttle("reporting")
        void byName() {}

        @Stripe(limits = "7/1s")
        @Throttle(name = "other", limits = "1/1s")
        void composed() {}

        @Throttle("absent")
        void unknown() {}

        @Throttle(name = "reporting", key = "fairnessKey")
        void keyWithoutLimits() {}

        @Throttle(name = "a", limits = "1/1s")
        @Throttle(name = "a", limits = "9/1m")
        void twice() {}

        @Throttle(limits = "1/1s")
        void nameless() {}
    }
}
