/** The database as a mechanism: connections, transactions, statements, and what to say when it is away. */
@NullMarked
package io.fila.broker.jdbc;

import org.jspecify.annotations.NullMarked;
