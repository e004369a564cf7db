package io.fila.broker.pacing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fila.broker.TestDatabase;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/** The statements in files fit the schema, and find what they look for by an index, whatever the planner knows (I7). */
class StatementsIT {

    private static final int ROWS = 50_000;
    private static final Pattern SCAN =
            Pattern.compile("Seq Scan on (?:public\\.)?(message|delivery|bucket)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern PARAMETER = Pattern.compile("\\?");

    private static final String UUIDS = "array(select md5('b' || n)::uuid from generate_series(1, 20) n)";
    private static final String LANES = "array(select md5('l' || n)::uuid from generate_series(1, 20) n)";
    private static final String LEASES =
            "array_fill(1::bigint, array[20]), array(select n::bigint from generate_series(1, 20) n),"
                    + " array(select md5('c' || n)::uuid from generate_series(1, 20) n)";
    private static final String TIMES = "array_fill(clock_timestamp(), array[20])";
    private static final String IDS = "array(select n::bigint from generate_series(1, 20) n)";
    private static final String READY = "array(select 5 * n::bigint from generate_series(1, 20) n)";
    private static final String COUNTS = "array_fill(1, array[20])";

    /** What is known of the tables when a statement is planned. */
    enum Statistics {
        FRESH,
        STALE,
        ABSENT,
        /** The tables were vacuumed when they were all but empty, and have the pages still. */
        OF_A_LULL
    }

    /** A statement, example values for its parameters, and the indexes it is to use. */
    record Planned(String file, String values, List<String> indexes) {
        @Override
        public String toString() {
            return file;
        }
    }

    private static final List<Planned> PLANNED = List.of(
            new Planned(
                    "lease_messages",
                    "%s, array_fill(0::bigint, array[20]), array_fill(9223372036854775807, array[20]), %s, 1, true, 1, gen_random_uuid(), 30000, 1, 8000000"
                            .formatted(LANES, COUNTS),
                    List.of("message_ready", "message_set_aside", "message_pkey")),
            new Planned("find_lanes", "md5('')::uuid, 1, 1000", List.of("message_ready")),
            new Planned("describe_lanes", LANES + ", 1, 1", List.of("message_ready")),
            new Planned(
                    "find_group_heads",
                    "1, " + LANES + ", " + IDS + ", 1",
                    List.of("message_ordered", "message_set_aside")),
            new Planned("weigh_lanes", LANES + ", 1", List.of("message_ready")),
            new Planned(
                    "find_stale_messages",
                    LANES + ", array_fill(0::bigint, array[20]), 1, 20, 20",
                    List.of("message_ready")),
            new Planned("move_messages", IDS + ", " + LANES + ", 1", List.of("message_pkey")),
            new Planned("ack_leases", LEASES, List.of("message_pkey")),
            new Planned("release_leases", LEASES, List.of("message_pkey")),
            new Planned("extend_leases", LEASES + ", " + IDS, List.of("message_pkey")),
            new Planned(
                    "fail_attempts",
                    LEASES
                            + ", array_fill('c'::text, array[20]), array_fill('nack'::text, array[20]),"
                            + " array_fill('e'::text, array[20]), "
                            + IDS
                            + ", array_fill(false, array[20]), array_fill(false, array[20])",
                    List.of("message_pkey")),
            new Planned("describe_leases", LEASES, List.of("message_pkey")),
            new Planned("take_unclassified", "20", List.of("message_unclassified", "message_pkey")),
            new Planned("take_unclassified_of_queue", "1, 0, 20", List.of("message_set_aside", "message_pkey")),
            new Planned("find_next_unclassified", "", List.of("message_unclassified")),
            new Planned(
                    "classify_messages",
                    "array_fill(1::bigint, array[20]), "
                            + IDS
                            + ", "
                            + LANES
                            + ", array_fill(false, array[20]), array_fill('f'::text, array[20]), "
                            + COUNTS
                            + ", array_fill(null::text, array[20])",
                    List.of("message_pkey")),
            new Planned(
                    "postpone_unclassified",
                    "array_fill(1::bigint, array[20]), "
                            + IDS
                            + ", array_fill('script_failed'::text, array[20]), array_fill('e'::text, array[20]), "
                            + COUNTS,
                    List.of("message_pkey")),
            new Planned("lock_leases", LEASES, List.of("message_pkey")),
            new Planned("return_refused", LEASES + ", " + IDS, List.of("message_pkey")),
            new Planned("list_messages", "1, 0, 10000, 3, 50, 1, 4000000", List.of("message_pkey")),
            new Planned(
                    "insert_messages",
                    "array[1::bigint], %1$s, array_fill(1::bigint, array[20]), %1$s, %2$s, %3$s, %4$s,"
                                    .formatted(UUIDS, TIMES, IDS, COUNTS)
                            + " array_fill(null::text, array[20]), array_fill(null::text, array[20]),"
                            + " array_fill(0::smallint, array[20]), array_fill(true, array[20]), array_fill(false, array[20]),"
                            + " array_fill(null::text, array[20]), array_fill(null::text, array[20]),"
                            + " array_fill(null::text, array[20]), array_fill(0, array[20]), array_fill(''::bytea, array[20])",
                    List.of("message_id", "queue_pkey")),
            new Planned(
                    "withdraw_dead_letters",
                    "array_fill(1::bigint, array[20]), " + IDS + ", " + UUIDS,
                    List.of("message_pkey", "message_id", "queue_pkey")),
            new Planned("lock_queue", "1", List.of("queue_pkey")),
            new Planned("find_dead_letters", "20, 1, 0, 40000, 20, 2, 1", List.of("message_pkey", "message_id")),
            new Planned(
                    "redrive_messages",
                    READY
                            + ", "
                            + LANES
                            + ", array_fill(false, array[20]), array_fill('f'::text, array[20]), "
                            + COUNTS
                            + ", array_fill(null::text, array[20]), 2, 1",
                    List.of("message_pkey")),
            new Planned(
                    "count_dead_letters", "1, 1, 1", List.of("message_ready", "message_set_aside", "message_leased")),
            new Planned("find_expired_dead_letters", "", List.of("message_pkey")),
            new Planned("remove_expired_dead_letters", "20, 1, 0", List.of("message_pkey")),
            new Planned("find_next_delayed", "", List.of("message_delayed")),
            new Planned("find_next_expiry", "", List.of("message_leased")),
            new Planned("find_message", "gen_random_uuid()", List.of("message_id", "queue_pkey")),
            new Planned("find_to_cancel", "gen_random_uuid(), 1, 1", List.of("message_id")),
            new Planned("describe_messages", "1, " + IDS, List.of("message_pkey")),
            new Planned("count_lanes", "1", List.of("message_ready")),
            new Planned("count_messages", "'q'", List.of("queue_name", "message_set_aside", "message_leased")),
            new Planned("describe_buckets", "clock_timestamp(), " + UUIDS, List.of("bucket_pkey", "delivery_pkey")),
            new Planned("evict_buckets", UUIDS + ", 1000", List.of("bucket_pkey", "delivery_pkey")),
            new Planned("prune_deliveries", UUIDS + ", 100", List.of("bucket_pkey", "delivery_pkey")),
            new Planned(
                    "find_outdated_buckets",
                    "md5('')::uuid, 20, 1000",
                    List.of("bucket_pkey", "delivery_pkey", "throttle_pkey")),
            new Planned("find_unused_throttles", "", List.of("declaration_of_throttle", "bucket_of_throttle")),
            new Planned("promote_delayed", "20", List.of("message_delayed", "message_pkey")),
            new Planned("count_backlog", "1, 1000000, 1, 1000000", List.of("message_ready", "message_set_aside")),
            new Planned("find_expired", "20", List.of("message_leased")),
            new Planned("lock_buckets", UUIDS, List.of("bucket_pkey")),
            new Planned("count_room", "1, 0, " + UUIDS + ", " + TIMES, List.of("bucket_pkey", "delivery_pkey")),
            new Planned("find_throttle", "'t'", List.of("throttle_pkey", "declaration_of_throttle")),
            new Planned(
                    "charge_buckets",
                    UUIDS + ", " + COUNTS + ", " + TIMES + ", 250000",
                    List.of("bucket_pkey", "delivery_pkey")),
            new Planned(
                    "settle_deliveries",
                    String.join(", ", UUIDS, UUIDS, TIMES, IDS, TIMES),
                    List.of("bucket_pkey", "delivery_pkey")),
            new Planned(
                    "refund_deliveries",
                    String.join(", ", UUIDS, UUIDS, IDS, COUNTS, TIMES),
                    List.of("bucket_pkey", "delivery_pkey")));

    /** They read all of what they count. */
    private static final Set<String> COUNTING =
            Set.of("count_backlog", "count_dead_letters", "count_lanes", "count_messages");

    private static final Pattern PAGES = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    /** For 20 rows, each with the pages of up to seven indexes. */
    private static final int MOST_PAGES = 1_000;

    private static final Map<Statistics, Connection> CONNECTIONS = new EnumMap<>(Statistics.class);
    private static final Map<String, String> STATEMENTS = new TreeMap<>();

    @BeforeAll
    static void prepare() throws SQLException, IOException {
        Resource[] files = new PathMatchingResourcePatternResolver().getResources("classpath*:io/fila/broker/**/*.sql");
        for (Resource file : files) {
            STATEMENTS.put(
                    file.getFilename().replace(".sql", ""),
                    file.getContentAsString(StandardCharsets.UTF_8)
                            .lines()
                            .filter(line -> !line.startsWith("--"))
                            .collect(Collectors.joining("\n")));
        }
        for (Statistics statistics : Statistics.values()) {
            Connection connection = DriverManager.getConnection(TestDatabase.create());
            setAsTheBrokerDoes(connection);
            CONNECTIONS.put(statistics, connection);
            fill(connection, statistics);
        }
    }

    /** The settings of the broker's own connections. */
    private static void setAsTheBrokerDoes(Connection connection) throws SQLException, IOException {
        Object options = new YamlPropertySourceLoader()
                .load("application", new ClassPathResource("application.yml"))
                .get(0)
                .getProperty("spring.datasource.hikari.data-source-properties.options");
        assertThat(options).isNotNull();
        try (Statement statement = connection.createStatement()) {
            for (String option : options.toString().split("-c ")) {
                if (!option.isBlank()) {
                    statement.execute("set " + option.strip().replace("=", " = '") + "'");
                }
            }
        }
    }

    @AfterAll
    static void close() throws SQLException {
        for (Connection connection : CONNECTIONS.values()) {
            connection.close();
        }
    }

    private static void fill(Connection connection, Statistics statistics) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            withoutAutovacuum(statement);
            if (statistics == Statistics.STALE) {
                statement.execute("analyze");
            }
            fill(statement, 1, ROWS);
            if (statistics == Statistics.OF_A_LULL) {
                statement.execute("delete from message where sequence > 1");
                statement.execute("delete from delivery where id > 1");
                statement.execute("delete from bucket where id <> md5('b1')::uuid");
                statement.execute("vacuum (analyze, truncate false)");
            }
            if (statistics == Statistics.FRESH) {
                statement.execute("analyze");
            }
        }
    }

    private static void withoutAutovacuum(Statement statement) throws SQLException {
        for (String table : List.of("message", "delivery", "bucket")) {
            statement.execute("alter table " + table + " set (autovacuum_enabled = false)");
        }
    }

    private static void fill(Statement statement, int from, int to) throws SQLException {
        statement.execute("""
                insert into queue (name, visibility_timeout_ms, max_attempts, initial_backoff_ms, backoff_multiplier,
                                   max_backoff_ms, backoff_jitter)
                values ('q', 30000, 3, 1000, 2, 60000, 0.1)
                on conflict do nothing
                """);
        statement.execute("""
                insert into throttle values ('t', '{}', false, '{10,100}', '{1000,60000}', 60000)
                on conflict do nothing
                """);
        statement.execute("""
                insert into message (queue_id, id, lane, state, available_at, lease, lease_until, ordered, payload_kind, payload)
                select 1, gen_random_uuid(), md5('l' || n %% 200)::uuid, s, case when s in (1, 2) then clock_timestamp() end,
                       case s when 3 then md5('c' || n)::uuid end, case s when 3 then clock_timestamp() end, n %% 200 < 100, 0, 'x'
                from generate_series(%d, %d) n
                cross join lateral (select case when n %% 50 = 49 then 2 else (array[0, 0, 0, 1, 3])[1 + n %% 5] end as s) states
                """.formatted(from, to));
        statement.execute("""
                insert into bucket (id, throttle, cum)
                select md5('b' || n)::uuid, 't', 5 from generate_series(%d, %d) n
                """.formatted(from, to));
        statement.execute("""
                insert into delivery (bucket_id, until, count, cum)
                select md5('b' || n / 5)::uuid, clock_timestamp() - (5 - n %% 5) * interval '300 milliseconds', 1, 1 + n %% 5
                from generate_series(%d, %d) n
                """.formatted(from, to));
    }

    @Test
    void fitTheSchema() {
        assertThat(STATEMENTS).as("statements found on the class path").isNotEmpty();
        SoftAssertions softly = new SoftAssertions();
        STATEMENTS.forEach((name, sql) -> softly.assertThatCode(() -> {
                    try (var statement = CONNECTIONS.get(Statistics.FRESH).prepareStatement(sql)) {
                        statement.getParameterMetaData();
                    }
                })
                .as(name)
                .doesNotThrowAnyException());
        softly.assertAll();
    }

    static Stream<Arguments> plans() {
        return Arrays.stream(Statistics.values())
                .flatMap(statistics -> Stream.of("force_generic_plan", "force_custom_plan")
                        .flatMap(mode -> PLANNED.stream().map(planned -> Arguments.of(planned, statistics, mode))));
    }

    @ParameterizedTest(name = "{0}, statistics {1}, {2}")
    @MethodSource("plans")
    void useTheirIndexes(Planned planned, Statistics statistics, String mode) throws SQLException {
        assertThat(STATEMENTS).containsKey(planned.file());
        String plan = plan(CONNECTIONS.get(statistics), planned, mode);

        assertThat(SCAN.matcher(plan).find()).as("a scan in %s", plan).isFalse();
        assertThat(plan).contains(planned.indexes());
    }

    /** Plans are kept until the next vacuum: one that was made in a lull serves the load that follows. */
    @ParameterizedTest(name = "planned with {0} rows")
    @ValueSource(ints = {0, 1, 200})
    void readNoMoreThanTheyNeedHoweverLittleThereWasWhenTheyWerePlanned(int rows) throws SQLException, IOException {
        SoftAssertions softly = new SoftAssertions();
        try (Connection connection = DriverManager.getConnection(TestDatabase.create());
                Statement statement = connection.createStatement()) {
            setAsTheBrokerDoes(connection);
            withoutAutovacuum(statement);
            if (rows > 0) {
                fill(statement, 1, rows);
                statement.execute("vacuum (analyze)");
            }
            statement.execute("set plan_cache_mode = force_generic_plan");
            Map<String, String> executions = new TreeMap<>();
            for (Planned planned : PLANNED) {
                if (!COUNTING.contains(planned.file())) {
                    statement.execute("prepare " + planned.file() + " as " + numbered(STATEMENTS.get(planned.file())));
                    String execution = "execute " + planned.file() + arguments(statement, planned);
                    statement.execute("explain " + execution);
                    executions.put(planned.file(), execution);
                }
            }
            fill(statement, rows + 1, ROWS);
            // so that a plan that reads everything for each row ends
            statement.execute("set statement_timeout = '2s'");
            connection.setAutoCommit(false);
            executions.forEach((file, execution) -> softly.assertThatCode(() -> {
                        try {
                            String plan = explain(statement, "analyze, buffers, costs off, timing off", execution);
                            assertThat(pages(plan)).as(plan).isLessThan(MOST_PAGES);
                        } finally {
                            connection.rollback();
                        }
                    })
                    .as(file)
                    .doesNotThrowAnyException());
        }
        softly.assertAll();
    }

    private static long pages(String plan) {
        Matcher buffers = PAGES.matcher(plan);
        assertThat(buffers.find()).as(plan).isTrue();
        return Stream.of(buffers.group(1), buffers.group(2))
                .filter(Objects::nonNull)
                .mapToLong(Long::parseLong)
                .sum();
    }

    private static String plan(Connection connection, Planned planned, String mode) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("set plan_cache_mode = " + mode);
            statement.execute("prepare planned as " + numbered(STATEMENTS.get(planned.file())));
            try {
                return explain(statement, "costs off", "execute planned" + arguments(statement, planned));
            } finally {
                statement.execute("deallocate planned");
            }
        }
    }

    private static String explain(Statement statement, String options, String execution) throws SQLException {
        try (var rows = statement.executeQuery("explain (" + options + ") " + execution)) {
            StringBuilder plan = new StringBuilder();
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
            return plan.toString();
        }
    }

    private static String arguments(Statement statement, Planned planned) throws SQLException {
        return planned.values().isEmpty() ? "" : "(" + literals(statement, planned.values()) + ")";
    }

    /** The values as literals: a subquery cannot be an argument. */
    private static String literals(Statement statement, String values) throws SQLException {
        try (var row = statement.executeQuery("select " + values)) {
            row.next();
            List<String> literals = new ArrayList<>();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                String value = row.getString(i);
                literals.add(value == null ? "null" : "'" + value.replace("'", "''") + "'");
            }
            return String.join(", ", literals);
        }
    }

    /** With the parameters as the server numbers them. */
    private static String numbered(String sql) {
        int[] number = {0};
        return PARAMETER.matcher(sql).replaceAll(match -> Matcher.quoteReplacement("$" + ++number[0]));
    }
}
