package io.fila.broker.message;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueDirectory;
import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Looks at single messages, and takes them back. */
@Component
class MessageViews {

    /** What the payloads of a page come to at most, unless it is one: as many large messages as a page may have would fill the memory. */
    private static final int PAGE_BYTES = 4 << 20;

    /** How many messages are looked at for a page: of a large queue few may be of the state that is asked for. */
    private static final int EXAMINED = 10_000;

    private static final String ONE = Sql.load(MessageViews.class, "find_message");
    private static final String PAGE = Sql.load(MessageViews.class, "list_messages");

    private static final String FIND_TO_CANCEL = Sql.load(MessageViews.class, "find_to_cancel");

    private static final String CANCEL = """
            delete from message
            where queue_id = ? and sequence = ?
            returning case when ordered then lane end
            """;

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final TypeReference<List<MessageView.Failure>> FAILURES = new TypeReference<>() {};

    private final Database database;
    private final QueueDirectory queues;

    MessageViews(Database database, QueueDirectory queues) {
        this.database = database;
        this.queues = queues;
    }

    MessageView get(UUID id) {
        List<MessageView> found = database.run("read a message", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(ONE)) {
                statement.setObject(1, id);
                return read(statement);
            }
        });
        return found.stream().findFirst().orElseThrow(() -> notFound(id));
    }

    Messages.Page list(QueueName name, @Nullable MessageState state, int limit, @Nullable String after) {
        if (state == MessageState.THROTTLED) {
            throw ProblemException.invalid(
                    "state: expected ready, delayed, leased or unclassified; throttled messages are listed as ready, and counted in"
                            + " the statistics");
        }
        if (limit < 1 || limit > Messages.LARGEST_PAGE) {
            throw ProblemException.invalid("limit: expected 1 to %d, got %d".formatted(Messages.LARGEST_PAGE, limit));
        }
        Queue queue = queues.get(name);
        int code = state == null ? -1 : state.ordinal();
        return database.run("list messages of queue '" + name + "'", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(PAGE)) {
                statement.setLong(1, queue.id());
                statement.setLong(2, cursor(after));
                statement.setInt(3, EXAMINED);
                statement.setInt(4, code);
                statement.setInt(5, limit);
                statement.setLong(6, queue.id());
                statement.setInt(7, PAGE_BYTES);
                return page(statement, limit);
            }
        });
    }

    /** @param group the ordering group that the message was of */
    record Cancelled(long queueId, long sequence, @Nullable UUID group, boolean wasUnclassified) {}

    Cancelled cancel(UUID id, @Nullable QueueName name) {
        Long queueId = name == null ? null : queues.get(name).id();
        return database.inTransaction("cancel a message", connection -> {
            List<Candidate> candidates = findToCancel(connection, id, queueId);
            if (candidates.isEmpty()) {
                throw notFound(id);
            }
            if (candidates.size() > 1) {
                throw new ProblemException(
                        ProblemCode.MESSAGE_AMBIGUOUS,
                        "id: queues %s each hold a message %s; say which one with queue="
                                .formatted(
                                        candidates.stream()
                                                .map(candidate -> "'" + candidate.queue() + "'")
                                                .collect(Collectors.joining(", ")),
                                        id));
            }
            Candidate candidate = candidates.get(0);
            if (candidate.state() == MessageState.LEASED) {
                throw new ProblemException(
                        ProblemCode.MESSAGE_LEASED,
                        "id: message %s is being handled by a consumer; cancel it when it has come back".formatted(id));
            }
            try (PreparedStatement statement = connection.prepareStatement(CANCEL)) {
                statement.setLong(1, candidate.queueId());
                statement.setLong(2, candidate.sequence());
                try (ResultSet row = statement.executeQuery()) {
                    UUID group = row.next() ? row.getObject(1, UUID.class) : null;
                    return new Cancelled(
                            candidate.queueId(),
                            candidate.sequence(),
                            group,
                            candidate.state() == MessageState.UNCLASSIFIED);
                }
            }
        });
    }

    /** A message of the id to be cancelled: ids are unique in a queue only. */
    private record Candidate(long queueId, long sequence, MessageState state, String queue) {}

    private static List<Candidate> findToCancel(Connection connection, UUID id, @Nullable Long queueId)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FIND_TO_CANCEL)) {
            statement.setObject(1, id);
            statement.setObject(2, queueId, Types.BIGINT);
            statement.setObject(3, queueId, Types.BIGINT);
            List<Candidate> candidates = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    candidates.add(new Candidate(
                            row.getLong(1), row.getLong(2), MessageState.values()[row.getInt(3)], row.getString(4)));
                }
            }
            return candidates;
        }
    }

    private static long cursor(@Nullable String after) {
        try {
            return after == null ? 0 : Long.parseLong(after, 36);
        } catch (NumberFormatException e) {
            throw ProblemException.invalid("after: expected the 'next' of the page before, got '%s'"
                    .formatted(Names.shown(String.valueOf(after))));
        }
    }

    private static ProblemException notFound(UUID id) {
        return new ProblemException(
                ProblemCode.MESSAGE_NOT_FOUND,
                "id: there is no message %s; it was never stored, or it is done".formatted(id));
    }

    private static List<MessageView> read(PreparedStatement statement) throws SQLException {
        List<MessageView> views = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                views.add(view(row));
            }
        }
        return views;
    }

    private static Messages.Page page(PreparedStatement statement, int limit) throws SQLException {
        List<MessageView> views = new ArrayList<>();
        long lastShown = 0;
        long lastExamined = 0;
        long examined = 0;
        long candidates = 0;
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                examined = row.getLong(18);
                lastExamined = row.getLong(19);
                candidates = row.getLong(20);
                if (candidates > 0) {
                    views.add(view(row));
                    lastShown = row.getLong(1);
                }
            }
        }
        boolean isCut = views.size() == limit || views.size() < candidates;
        if (!isCut && examined < EXAMINED) {
            return new Messages.Page(views, null);
        }
        return new Messages.Page(views, Long.toString(isCut ? lastShown : lastExamined, 36));
    }

    private static MessageView view(ResultSet row) throws SQLException {
        String failures = row.getString(16);
        MessageState state = MessageState.values()[row.getInt(4)];
        // of an unclassified message the column says when it is tried next
        OffsetDateTime availableAt = state == MessageState.DELAYED ? row.getObject(14, OffsetDateTime.class) : null;
        return new MessageView(
                row.getObject(2, UUID.class),
                new QueueName(row.getString(3)),
                state,
                new Payload(row.getBytes(6), Payload.Kind.values()[row.getInt(5)]),
                TextMaps.fromJson(row.getString(7)),
                row.getString(8),
                row.getInt(9),
                TextMaps.fromJson(row.getString(10)),
                row.getInt(11),
                row.getInt(12),
                row.getObject(13, OffsetDateTime.class).toInstant(),
                instant(availableAt),
                instant(row.getObject(15, OffsetDateTime.class)),
                instant(row.getObject(17, OffsetDateTime.class)),
                failures == null ? List.of() : JSON.readValue(failures, FAILURES));
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
