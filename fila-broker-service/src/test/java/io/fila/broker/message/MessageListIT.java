package io.fila.broker.message;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.Seeds;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Looking through a queue, page by page, while its messages come and go. */
class MessageListIT {

    private static String url;
    private static TestBroker broker;

    @BeforeAll
    static void start() {
        url = TestDatabase.create();
        broker = TestBroker.start(url);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void showsWhatStaysOnceWhateverComesAndGoesMeanwhile() {
        Seeds.each(20, random -> {
            QueueName queue = broker.createQueue("listed-" + UUID.randomUUID());
            broker.enqueue(queue, 40, Map.of());
            Set<UUID> stayed = new HashSet<>(ids(queue));
            List<UUID> shown = new ArrayList<>();
            @Nullable String next = null;
            do {
                Messages.Page page = messages().list(queue, null, 1 + random.nextInt(7), next);
                page.messages().forEach(message -> shown.add(message.id()));
                next = page.next();
                comeAndGo(queue, random, stayed, next != null && shown.size() < 100);
            } while (next != null);

            assertThat(shown).doesNotHaveDuplicates().containsAll(stayed);
        });
    }

    /** Leaves the state of a message aside: what is leased or delayed meanwhile is in its place still. */
    @Test
    void showsAMessageInItsPlaceWhateverItsState() throws SQLException {
        QueueName queue = broker.createQueue("listed-" + UUID.randomUUID());
        broker.enqueue(queue, 6, Map.of());
        List<UUID> all = ids(queue);
        Messages.Page first = messages().list(queue, null, 3, null);
        try (DeadLetterRows rows = new DeadLetterRows(url)) {
            rows.execute(
                    "update message set state = 3, lease = gen_random_uuid(), lease_until = clock_timestamp() + interval '1 hour'"
                            + " where id in (?, ?)",
                    all.get(0),
                    all.get(4));
            rows.execute(
                    "update message set state = 1, available_at = clock_timestamp() + interval '1 hour' where id = ?",
                    all.get(3));
        }

        assertThat(messages().list(queue, null, 10, first.next()).messages())
                .extracting(MessageView::id)
                .isEqualTo(all.subList(3, 6));
    }

    private static void comeAndGo(QueueName queue, Random random, Set<UUID> stayed, boolean more) {
        List<UUID> present = ids(queue);
        for (int i = random.nextInt(3); i > 0 && !present.isEmpty(); i--) {
            UUID gone = present.get(random.nextInt(present.size()));
            if (ids(queue).contains(gone)) {
                messages().cancel(gone, queue);
                stayed.remove(gone);
            }
        }
        if (more && random.nextBoolean()) {
            broker.enqueue(queue, random.nextInt(1, 4), Map.of());
        }
    }

    private static List<UUID> ids(QueueName queue) {
        return messages().list(queue, null, 1_000, null).messages().stream()
                .map(MessageView::id)
                .toList();
    }

    private static Messages messages() {
        return broker.bean(Messages.class);
    }
}
