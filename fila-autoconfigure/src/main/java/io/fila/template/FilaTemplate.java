package io.fila.template;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.fila.client.FilaClient;
import io.fila.client.OutgoingMessage;
import io.fila.client.SendResult;

/**
 * Sends objects as messages. Safe for use by several threads.
 *
 * <p>Blocking methods return once the messages are stored durably and throw {@link io.fila.client.FilaException} otherwise;
 * asynchronous ones complete alike. Either throws {@link PayloadConversionException} at once for what cannot be converted.
 */
public class FilaTemplate {

    private final FilaClient client;
    private final PayloadConverter converter;

    public FilaTemplate(FilaClient client, PayloadConverter converter) {
        this.client = client;
        this.converter = converter;
    }

    public SendResult send(String queue, Object payload) {
        return send(queue, payload, SendOptions.none());
    }

    public SendResult send(String queue, Object payload, SendOptions options) {
        return client.send(queue, message(payload, options));
    }

    /** Sends all or none; one result each, in order. */
    public List<SendResult> sendAll(String queue, Collection<?> payloads) {
        return sendAll(queue, payloads, SendOptions.none());
    }

    /** Sends all or none, all with the same options, which therefore hold no id; one result each, in order. */
    public List<SendResult> sendAll(String queue, Collection<?> payloads, SendOptions options) {
        return client.sendAll(queue, messages(payloads, options));
    }

    public CompletableFuture<SendResult> sendAsync(String queue, Object payload) {
        return sendAsync(queue, payload, SendOptions.none());
    }

    public CompletableFuture<SendResult> sendAsync(String queue, Object payload, SendOptions options) {
        return client.sendAsync(queue, message(payload, options));
    }

    /** Like {@link #sendAll(String, Collection)}, without waiting. */
    public CompletableFuture<List<SendResult>> sendAllAsync(String queue, Collection<?> payloads) {
        return sendAllAsync(queue, payloads, SendOptions.none());
    }

    /** Like {@link #sendAll(String, Collection, SendOptions)}, without waiting. */
    public CompletableFuture<List<SendResult>> sendAllAsync(String queue, Collection<?> payloads, SendOptions options) {
        return client.sendAllAsync(queue, messages(payloads, options));
    }

    private List<OutgoingMessage> messages(Collection<?> payloads, SendOptions options) {
        if (options.id() != null && payloads.size() > 1) {
            throw new IllegalArgumentException(
                    "one id is given for " + payloads.size() + " messages; send them one by one");
        }
        return payloads.stream().map(payload -> message(payload, options)).toList();
    }

    private OutgoingMessage message(Object payload, SendOptions options) {
        return new OutgoingMessage(
                converter.toPayload(payload),
                options.headers(),
                options.fairnessKey(),
                options.weight(),
                options.delay(),
                options.notBefore(),
                options.id());
    }
}
