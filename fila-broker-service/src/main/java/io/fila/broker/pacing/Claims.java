package io.fila.broker.pacing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.Delivery;
import io.fila.broker.message.Lease;
import io.fila.broker.message.Payload;
import io.fila.broker.message.TextMaps;
import io.fila.broker.pacing.BucketStore.Settlement;
import io.fila.broker.pacing.Proposal.Share;
import org.springframework.stereotype.Component;

/** The claim: one transaction that leases messages and counts them in every bucket they draw from, or does neither (I1). */
@Component
class Claims {

    private static final String LEASE = Sql.load(Claims.class, "lease_messages");

    /** What the payloads of one claim come to at most, unless it is one message: as many large ones would fill the memory. */
    private static final int MOST_BYTES = 8 << 20;

    private final Database database;
    private final BucketStore buckets;

    Claims(Database database, BucketStore buckets) {
        this.database = database;
        this.buckets = buckets;
    }

    /** @param isCut whether there were more, for which there was no space */
    private record Found(Map<UUID, List<Delivery>> byLane, boolean isCut) {}

    /**
     * Claims what is proposed, as far as there is room; empty if it was proposed by rules that are no longer true, and nothing was done.
     *
     * @param pending records of these buckets to settle first
     * @param bound the messages will have been sent within so long, or not at all
     * @param ahead no grant is for a moment further ahead than this
     */
    Optional<Claimed> claim(
            QueueRules rules, Proposal proposal, Collection<Settlement> pending, Duration bound, Duration ahead) {
        return database.inTransaction("lease messages from queue '" + rules.name() + "'", connection -> {
            Set<UUID> involved = new LinkedHashSet<>();
            proposal.shares().forEach(share -> share.buckets().forEach(bucket -> involved.add(bucket.id())));
            Opening opening = buckets.open(connection, rules, involved, proposal.openings(), ahead, pending);
            if (!opening.isCurrent()) {
                return Optional.empty();
            }
            Map<UUID, Room> rooms = opening.rooms();
            Allotment allotment = Allotment.of(proposal, opening.locked(), rooms);
            Found found = lease(connection, rules, allotment);
            Map<UUID, List<Delivery>> leased = found.byLane();
            List<Grant> grants = List.of();
            Map<UUID, Integer> charges = allotment.charges(leased);
            if (!charges.isEmpty()) {
                grants = buckets.charge(connection, charges, rooms, bound);
            }
            return Optional.of(new Claimed(
                    opening.clock(),
                    allotment.answers(leased, found.isCut()),
                    allotment.ordered(leased),
                    grants,
                    allotment.after(charges),
                    opening.settled(),
                    found.isCut()));
        });
    }

    private static Found lease(Connection connection, QueueRules rules, Allotment allotment) throws SQLException {
        List<Share> shares = allotment.shares();
        Map<UUID, List<Delivery>> byLane = new LinkedHashMap<>();
        if (shares.isEmpty()) {
            return new Found(byLane, false);
        }
        UUID claim = UUID.randomUUID();
        try (PreparedStatement statement = connection.prepareStatement(LEASE)) {
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "uuid", shares.stream().map(Share::lane).toArray()));
            statement.setArray(
                    2,
                    connection.createArrayOf(
                            "bigint", shares.stream().map(Share::head).toArray()));
            statement.setArray(
                    3,
                    connection.createArrayOf(
                            "bigint", shares.stream().map(Share::last).toArray()));
            statement.setArray(
                    4,
                    connection.createArrayOf(
                            "integer", shares.stream().map(Share::quota).toArray()));
            statement.setLong(5, rules.queueId());
            statement.setBoolean(6, rules.laneKey().ordering() != null);
            statement.setLong(7, rules.queueId());
            statement.setObject(8, claim);
            statement.setLong(9, rules.visibilityTimeout().toMillis());
            statement.setLong(10, rules.queueId());
            statement.setInt(11, MOST_BYTES);
            long found = 0;
            int count = 0;
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    byLane.computeIfAbsent(row.getObject(2, UUID.class), lane -> new ArrayList<>())
                            .add(delivery(row, claim, rules));
                    count++;
                    found = row.getLong(13);
                }
            }
            return new Found(byLane, count < found);
        }
    }

    private static Delivery delivery(ResultSet row, UUID claim, QueueRules rules) throws SQLException {
        return new Delivery(
                new Lease(row.getLong(1), claim),
                row.getObject(12, OffsetDateTime.class).toInstant(),
                rules.visibilityTimeout(),
                row.getObject(3, UUID.class),
                rules.name(),
                new Payload(row.getBytes(5), Payload.Kind.values()[row.getInt(4)]),
                TextMaps.fromJson(row.getString(6)),
                row.getString(7),
                TextMaps.fromJson(row.getString(8)),
                row.getInt(9),
                row.getInt(10),
                row.getObject(11, OffsetDateTime.class).toInstant());
    }
}
