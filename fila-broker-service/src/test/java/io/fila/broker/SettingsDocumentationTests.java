package io.fila.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Every setting of the broker is in the documentation, and nothing else is. */
class SettingsDocumentationTests {

    private static final String OURS = "fila.broker.";
    private static final Path METADATA = Path.of("target/classes/META-INF/spring-configuration-metadata.json");
    private static final List<Path> PAGES = List.of(Path.of("../docs/operations.md"), Path.of("../docs/rest.md"));

    /** The first cell of a row of a table: the names in it. */
    private static final Pattern FIRST_CELL = Pattern.compile("(?m)^\\| (`[^|]*`) \\|");

    private static final Pattern NAME = Pattern.compile("`([a-z.-]+)`");

    @Test
    void documentsEverySettingAndNoOther() throws IOException {
        assertThat(documented()).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(settings());
    }

    private static List<String> settings() {
        return JsonMapper.shared()
                .readTree(METADATA.toFile())
                .path("properties")
                .valueStream()
                .map(property -> property.path("name"))
                .map(JsonNode::asString)
                .filter(name -> name.startsWith(OURS))
                .toList();
    }

    private static List<String> documented() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Path page : PAGES) {
            text.append(Files.readString(page));
        }
        return FIRST_CELL
                .matcher(text)
                .results()
                .flatMap(cell -> names(cell.group(1)))
                .filter(name -> name.startsWith(OURS))
                .toList();
    }

    /** {@code `a.b.c`, `.d`} are {@code a.b.c} and {@code a.b.d}. */
    private static Stream<String> names(String cell) {
        List<String> names = NAME.matcher(cell)
                .results()
                .map((MatchResult name) -> name.group(1))
                .toList();
        return names.stream()
                .map(name -> name.startsWith(".")
                        ? names.get(0).substring(0, names.get(0).lastIndexOf('.')) + name
                        : name);
    }
}
