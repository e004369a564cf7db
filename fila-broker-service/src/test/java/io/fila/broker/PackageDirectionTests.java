package io.fila.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.grpc.BindableService;
import org.jspecify.annotations.NullMarked;
import org.springframework.stereotype.Controller;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.CanBeAnnotated.Predicates.metaAnnotatedWith;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static org.assertj.core.api.Assertions.assertThat;

@AnalyzeClasses(packagesOf = FilaBrokerApplication.class, importOptions = DoNotIncludeTests.class)
class PackageDirectionTests {

    private static final String ROOT = "io.fila.broker.";

    /** A package may use those of earlier rows, not its neighbours in the row. */
    private static final List<List<String>> ROWS = List.of(
            List.of("problem"),
            List.of("jdbc"),
            List.of("clock"),
            List.of("node"),
            List.of("throttle"),
            List.of("script"),
            List.of("queue"),
            List.of("message"),
            List.of("pacing"),
            List.of("subscription"),
            List.of("stats"),
            List.of("admin", "console", "grpc", "security"));

    /** Decisions without effects: what they decide can be tested without a database, a clock or a thread. */
    private static final Set<String> DECISIONS = Set.of(
            ROOT + "throttle.KeyHash",
            ROOT + "throttle.Limit",
            ROOT + "throttle.Limits",
            ROOT + "clock.DatabaseClock",
            ROOT + "message.Closing",
            ROOT + "pacing.Allotment",
            ROOT + "pacing.Departure",
            ROOT + "pacing.FairQueue",
            ROOT + "pacing.FairnessGroup",
            ROOT + "pacing.Lane",
            ROOT + "pacing.LaneAnswer",
            ROOT + "pacing.LeadTime",
            ROOT + "pacing.PendingSettlements",
            ROOT + "pacing.Room",
            ROOT + "pacing.Scheduler",
            ROOT + "pacing.WatchedBucket");

    private static final DescribedPredicate<JavaClass> PURE =
            describe("pure", type -> DECISIONS.contains(outermost(type).getName()));

    @ArchTest
    static void dependenciesPointToEarlierRows(JavaClasses classes) {
        List<String> closed =
                new ArrayList<>(ROWS.stream().flatMap(List::stream).toList());
        for (List<String> row : ROWS) {
            for (String name : row) {
                String[] others = closed.stream()
                        .filter(other -> !other.equals(name))
                        .map(other -> ROOT + other + "..")
                        .toArray(String[]::new);
                noClasses()
                        .that()
                        .resideInAPackage(ROOT + name + "..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(others)
                        .because("packages depend in one direction, as they are listed in this test")
                        .allowEmptyShould(true)
                        .check(classes);
            }
            closed.removeAll(row);
        }
    }

    @ArchTest
    static void everyPackageHasItsRow(JavaClasses classes) {
        Set<String> packages = classes.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(ROOT))
                .map(name -> name.substring(ROOT.length()).split("\\.")[0])
                .collect(Collectors.toSet());

        assertThat(ROWS.stream().flatMap(List::stream)).containsAll(packages);
    }

    @ArchTest
    static final ArchRule DECISIONS_ARE_PURE = noClasses()
            .that(are(PURE))
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages("java..", "org.jspecify.annotations..", "io.fila.broker..")
            .orShould()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.sql..",
                    "java.net..",
                    "java.io..",
                    "java.nio.file..",
                    "java.nio.channels..",
                    "io.fila.broker.jdbc..");

    /** One that is renamed would leave the rule above without a word. */
    @ArchTest
    static void everyDecisionExists(JavaClasses classes) {
        assertThat(classes).extracting(JavaClass::getName).containsAll(DECISIONS);
    }

    @ArchTest
    static final ArchRule ENDS_STAY_INSIDE = classes()
            .that(are(metaAnnotatedWith(Controller.class)
                    .or(assignableTo(BindableService.class))
                    .or(nameMatching(".*(Store|Repository)"))))
            .should()
            .notBePublic()
            .because("what talks to the network or the database is nobody else's business")
            .allowEmptyShould(true);

    @ArchTest
    static void everyPackageIsNullMarked(JavaClasses classes) {
        assertThat(classes)
                .extracting(JavaClass::getPackage)
                .allMatch(javaPackage -> javaPackage.isAnnotatedWith(NullMarked.class));
    }

    @ArchTest
    static final ArchRule NO_STANDARD_STREAMS = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

    @ArchTest
    static final ArchRule NO_JAVA_UTIL_LOGGING = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

    @ArchTest
    static final ArchRule NO_FIELD_INJECTION = NO_CLASSES_SHOULD_USE_FIELD_INJECTION;

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(PackageDirectionTests::outermost).orElse(type);
    }
}
