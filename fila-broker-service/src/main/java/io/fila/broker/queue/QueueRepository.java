package io.fila.broker.queue;

import java.util.List;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.ListCrudRepository;

/** Reads and inserts rows of {@code queue}, and pauses them. An update names its columns: a row also carries what others change meanwhile. */
interface QueueRepository extends ListCrudRepository<QueueRow, Long> {

    @Query("select * from queue where dead_letter_id is not null order by name")
    List<QueueRow> findAllButDeadLetters();

    @Modifying
    @Query("update queue set paused = :paused where id = :id")
    void updatePaused(long id, boolean paused);
}
