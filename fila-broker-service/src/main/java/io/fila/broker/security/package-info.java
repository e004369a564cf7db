/**
 * Who may call.
 *
 * <p><b>Promise.</b> A broker that others can reach is never open. Without a credential it listens to its own machine only,
 * and {@link ExposureCheck refuses to start} anywhere else. With one, every call over HTTP and gRPC must carry it:
 * {@code Authorization: Bearer …}, as a header or as metadata. Open to all are the health probes, which say up or down and
 * no more, since what asks for them seldom has a secret.
 *
 * <p><b>Failures.</b> A missing or wrong credential is {@code unauthenticated}: 401 with a problem, or
 * {@code UNAUTHENTICATED} with the trailer {@code fila-code}. The answer is the same for both, and comparing takes the same
 * time whatever was sent. The request's body is not read.
 *
 * <p><b>Limits.</b> There is one credential and no roles; it can do everything. It travels in the clear unless TLS is
 * switched on ({@code server.ssl.bundle}, {@code spring.grpc.server.ssl.bundle}) or stands in front.
 */
@NullMarked
package io.fila.broker.security;

import org.jspecify.annotations.NullMarked;
