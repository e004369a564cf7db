package io.fila.autoconfigure;

import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code docs/spring.md} shows compiles, and what it lists is all that there is. */
class SpringGuideTests {

    private static final Path GUIDE = Path.of("../docs/spring.md");
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(package .*?)```", Pattern.DOTALL);
    private static final Pattern PROPERTY = Pattern.compile("(?m)^\\| `(fila\\.[^`]+)` \\|");

    @Test
    void examplesCompile(@TempDir Path directory) throws IOException {
        List<Source> examples = EXAMPLE.matcher(Files.readString(GUIDE))
                .results()
                .map(example -> new Source(example.group(1)))
                .toList();
        assertThat(examples).hasSizeGreaterThan(1);
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> options =
                List.of("-proc:none", "-parameters", "-d", directory.toString(), "-classpath", classPath);
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();

        ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, problems, options, null, examples)
                .call();

        assertThat(problems.getDiagnostics()).isEmpty();
    }

    @Test
    void listsEveryPropertyAndNoOther() throws IOException {
        assertThat(PROPERTY.matcher(Files.readString(GUIDE)).results().map(property -> property.group(1)))
                .containsExactlyInAnyOrderElementsOf(Stream.of(
                                FilaClientProperties.class,
                                FilaListenerProperties.class,
                                FilaDeclarationProperties.class)
                        .flatMap(type -> properties(
                                type.getAnnotation(ConfigurationProperties.class)
                                        .value(),
                                type))
                        .toList());
    }

    private static Stream<String> properties(String prefix, Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .flatMap(component ->
                        properties(prefix + "." + DataObjectPropertyName.toDashedForm(component.getName()), component));
    }

    private static Stream<String> properties(String name, RecordComponent component) {
        if (component.getType() == Map.class) {
            ParameterizedType map = (ParameterizedType) component.getGenericType();
            return properties(name + ".NAME", (Class<?>) map.getActualTypeArguments()[1]);
        }
        return component.getType().isRecord() ? properties(name, component.getType()) : Stream.of(name);
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String text) {
            super(URI.create("string:///shop/ShopApplication.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
