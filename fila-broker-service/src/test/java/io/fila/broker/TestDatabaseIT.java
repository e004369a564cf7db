package io.fila.broker;

import java.sql.DriverManager;
import java.sql.SQLException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TestDatabaseIT {

    @Test
    void givesEveryCallADatabaseOfItsOwn() throws SQLException {
        String first = TestDatabase.create();
        String second = TestDatabase.create();
        try (var one = DriverManager.getConnection(first);
                var two = DriverManager.getConnection(second);
                var onOne = one.createStatement();
                var onTwo = two.createStatement()) {
            onOne.execute("create table only_here (id int)");

            try (var found = onTwo.executeQuery("select to_regclass('only_here') is null")) {
                found.next();
                assertThat(found.getBoolean(1)).isTrue();
            }
        }
    }

    @Test
    void hasTheSchema() throws SQLException {
        try (var connection = DriverManager.getConnection(TestDatabase.create());
                var statement = connection.createStatement();
                var found = statement.executeQuery("select to_regclass('flyway_schema_history') is not null")) {
            found.next();
            assertThat(found.getBoolean(1)).isTrue();
        }
    }
}
