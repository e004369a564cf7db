/**
 * The other company: an HTTP server of its own that takes 8 messages in any second and drops the rest, and a client for it. The
 * server is strict: it knows nothing of jitter, and its clock is when it sees a request.
 */
@NullMarked
package io.fila.sample.provider;

import org.jspecify.annotations.NullMarked;
