package io.fila;

import java.util.ArrayList;
import java.util.List;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

@AnalyzeClasses(packages = "io.fila", importOptions = DoNotIncludeTests.class)
class PackageDirectionTests {

    private static final String ROOT = "io.fila.";

    /** A package may use those before it. The listeners convert payloads as the template does. */
    private static final List<String> ORDER =
            List.of("client", "declaration", "throttle", "template", "listener", "actuate", "autoconfigure");

    @ArchTest
    static void dependenciesPointToEarlierPackages(JavaClasses classes) {
        List<String> later = new ArrayList<>(ORDER);
        for (String name : ORDER) {
            later.remove(name);
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + name + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            later.stream().map(other -> ROOT + other + "..").toArray(String[]::new))
                    .because("packages depend in one direction, as they are listed in this test")
                    .allowEmptyShould(true)
                    .check(classes);
        }
    }

    @ArchTest
    static void everyPackageIsNullMarked(JavaClasses classes) {
        List<String> unmarked = classes.stream()
                .map(JavaClass::getPackage)
                .filter(javaPackage ->
                        ORDER.stream().anyMatch(name -> javaPackage.getName().equals(ROOT + name)))
                .filter(javaPackage -> !javaPackage.isAnnotatedWith("org.jspecify.annotations.NullMarked"))
                .map(javaPackage -> javaPackage.getName())
                .distinct()
                .toList();
        if (!unmarked.isEmpty()) {
            throw new AssertionError("packages without a package-info that has @NullMarked: " + unmarked);
        }
    }

    @ArchTest
    static final ArchRule THE_CLIENT_KNOWS_NO_SPRING = noClasses()
            .that()
            .resideInAPackage("io.fila.client..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule NO_STANDARD_STREAMS = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.allowEmptyShould(true);

    @ArchTest
    static final ArchRule NO_JAVA_UTIL_LOGGING = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.allowEmptyShould(true);

    @ArchTest
    static final ArchRule NO_FIELD_INJECTION = NO_CLASSES_SHOULD_USE_FIELD_INJECTION.allowEmptyShould(true);
}
