package io.fila.broker.message;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.SettlementStore.Leased;
import io.fila.broker.queue.Queue;
import io.fila.broker.script.FailedMessage;
import io.fila.broker.script.Hook;
import io.fila.broker.script.QueueScript;
import io.fila.broker.script.ScriptResult;
import io.fila.broker.script.ScriptResult.Answered;
import io.fila.broker.script.Scripts;
import io.fila.broker.script.Verdict;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Has scripts say what becomes of messages whose attempts failed. A script that does not answer leaves it to the retry policy. Safe for
 * use by several threads.
 */
@Component
class FailureScripts {

    private static final Logger log = LoggerFactory.getLogger(FailureScripts.class);
    private static final String DESCRIBE = Sql.load(FailureScripts.class, "describe_leases");

    private final Database database;
    private final Scripts scripts;

    FailureScripts(Database database, Scripts scripts) {
        this.database = database;
        this.scripts = scripts;
    }

    /** An attempt that failed, and why. */
    record Failure(Leased leased, String reason, String error) {}

    /** A message, as far as scripts are told. */
    record Described(UUID id, Map<String, String> headers, int attempts, int redrives) {}

    /** The script of a queue that is to be asked; null if there is none. */
    static @Nullable QueueScript scriptOf(Queue queue) {
        String source = queue.settings().scripts().onFailure();
        return source == null ? null : new QueueScript(queue.id(), queue.name().value(), Hook.ON_FAILURE, source);
    }

    /** The messages of leases; those that have been lost are missing. */
    Map<Leased, Described> describe(List<Leased> leases) {
        return database.run("describe messages whose attempts failed", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
                SettlementStore.bind(connection, statement, leases);
                Map<Leased, Described> described = new HashMap<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        described.put(
                                SettlementStore.leased(row),
                                new Described(
                                        row.getObject(4, UUID.class),
                                        TextMaps.fromJson(row.getString(5)),
                                        row.getInt(6),
                                        row.getInt(7)));
                    }
                }
                return described;
            }
        });
    }

    /** What is to become of messages of one queue. A failure that is missing from the answer is left to the retry policy. Never fails. */
    CompletableFuture<Map<Leased, Verdict>> judge(
            QueueScript script, List<Failure> failures, Map<Leased, Described> described) {
        List<Failure> asked = new ArrayList<>();
        List<FailedMessage> messages = new ArrayList<>();
        for (Failure failure : failures) {
            Described message = described.get(failure.leased());
            if (message == null) {
                continue;
            }
            asked.add(failure);
            messages.add(new FailedMessage(
                    message.id().toString(),
                    message.headers(),
                    message.attempts(),
                    message.redrives(),
                    script.queue(),
                    failure.reason(),
                    failure.error()));
        }
        if (asked.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        return scripts.judge(script, messages).handle((results, problem) -> {
            if (problem != null) {
                log.debug("on_failure of queue '{}' was not run; the retry policy decides", script.queue(), problem);
            }
            return results == null ? Map.of() : verdicts(script, asked, results);
        });
    }

    private static Map<Leased, Verdict> verdicts(
            QueueScript script, List<Failure> asked, List<ScriptResult<Verdict>> results) {
        Map<Leased, Verdict> verdicts = new HashMap<>();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) instanceof Answered<Verdict> answered) {
                verdicts.put(asked.get(i).leased(), answered.answer());
            } else {
                log.debug("on_failure of queue '{}' did not answer: {}", script.queue(), results.get(i));
            }
        }
        return verdicts;
    }
}
