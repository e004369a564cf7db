package io.fila.broker.admin;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Min;

import io.fila.broker.problem.SizeRange;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * How much the REST API takes on at a time.
 *
 * @param maxEnqueueBody the largest body of an enqueue: room for the payloads of one request in base64
 * @param maxBody the largest body of any other request
 * @param maxBodiesTogether the most that bodies of requests which are being worked on may come to
 * @param threads how many requests may work on the database at the same time: fewer than it has connections, which deliveries
 *     and the sign of life of this node need, too
 * @param queueCapacity how many more may wait for one of those threads before requests are refused
 */
@Validated
@ConfigurationProperties("fila.broker.rest")
record RestProperties(
        @DefaultValue("48MB") @SizeRange(min = "1KB") DataSize maxEnqueueBody,
        @DefaultValue("256KB") @SizeRange(min = "1KB") DataSize maxBody,
        @DefaultValue("128MB") DataSize maxBodiesTogether,
        @DefaultValue("8") @Min(1) int threads,
        @DefaultValue("256") @Min(1) int queueCapacity) {

    /** Else the largest body that is allowed could never be taken. */
    @AssertTrue(
            message =
                    "fila.broker.rest.max-bodies-together is less than max-enqueue-body or max-body; use at least those")
    boolean isMaxBodiesTogetherEnoughForOne() {
        return maxBodiesTogether.compareTo(maxEnqueueBody) >= 0 && maxBodiesTogether.compareTo(maxBody) >= 0;
    }
}
