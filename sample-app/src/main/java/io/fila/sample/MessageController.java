package io.fila.sample;

import java.util.List;
import java.util.stream.IntStream;

import io.fila.client.FilaException;
import io.fila.sample.stats.DeliveryStats;
import io.fila.template.FilaTemplate;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Takes messages at any rate: {@code OK} means that the message is stored durably. */
@RestController
class MessageController {

    private static final int LARGEST_BURST = 10_000;

    private final FilaTemplate fila;
    private final DeliveryStats stats;

    MessageController(FilaTemplate fila, DeliveryStats stats) {
        this.fila = fila;
        this.stats = stats;
    }

    @PutMapping(path = "/messages", consumes = MediaType.TEXT_PLAIN_VALUE, produces = MediaType.TEXT_PLAIN_VALUE)
    String put(@RequestBody String message) {
        fila.send(MessageListener.QUEUE, message);
        stats.sent(1);
        return "OK";
    }

    /** For the page's button: many messages at once. */
    @PostMapping(path = "/burst", produces = MediaType.TEXT_PLAIN_VALUE)
    ResponseEntity<String> burst(@RequestParam int count) {
        if (count < 1 || count > LARGEST_BURST) {
            return ResponseEntity.badRequest().body("count is " + count + "; use 1 to " + LARGEST_BURST);
        }
        List<String> messages = IntStream.rangeClosed(1, count)
                .mapToObj(i -> "burst message " + i)
                .toList();
        fila.sendAll(MessageListener.QUEUE, messages);
        stats.sent(count);
        return ResponseEntity.ok("OK");
    }

    @ExceptionHandler
    ResponseEntity<String> notStored(FilaException e) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, "1")
                .contentType(MediaType.TEXT_PLAIN)
                .body("not stored: " + e.getMessage());
    }
}
