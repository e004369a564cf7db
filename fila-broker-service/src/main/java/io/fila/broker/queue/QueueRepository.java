package io.fila.broker.queue;

import java.util.List;
import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.ListCrudRepository;

/** Reads and inserts rows of {@code queue}. Updates name their columns: a row also carries what others change meanwhile. */
interface QueueRepository extends ListCrudRepository<QueueRow, Long> {

    @Query("select * from queue where dead_letter_id is not null order by name")
    List<QueueRow> findAllButDeadLetters();

    /** Locks the row until the transaction ends; enqueues, which share its key, do not wait. */
    @Query("select * from queue where name = :name for no key update")
    Optional<QueueRow> findForUpdate(String name);

    @Modifying
    @Query("""
            update queue
            set visibility_timeout_ms = :#{#row.visibilityTimeoutMs},
                max_attempts = :#{#row.maxAttempts},
                initial_backoff_ms = :#{#row.initialBackoffMs},
                backoff_multiplier = :#{#row.backoffMultiplier},
                max_backoff_ms = :#{#row.maxBackoffMs},
                backoff_jitter = :#{#row.backoffJitter},
                max_backlog = :#{#row.maxBacklog},
                fast_delivery = :#{#row.fastDelivery},
                dead_letter_retention_ms = :#{#row.deadLetterRetentionMs}
            where name = :#{#row.name}
            """)
    void updateSettings(QueueRow row);

    @Modifying
    @Query("update queue set paused = :paused where id = :id")
    void updatePaused(long id, boolean paused);
}
