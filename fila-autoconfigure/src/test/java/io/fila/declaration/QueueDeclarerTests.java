package io.fila.declaration;

import java.util.List;

import io.fila.client.FilaException;
import io.fila.client.QueueSpec;
import io.fila.fake.FakeClient;
import io.fila.fake.FakeScheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class QueueDeclarerTests {

    private static final QueueSpec ORDERS = QueueSpec.of("orders");
    private static final QueueSpec REPORTS = QueueSpec.of("reports");

    private final FakeClient client = new FakeClient();
    private final FakeScheduler scheduler = new FakeScheduler();
    private final QueueDeclarer declarer = new QueueDeclarer(client, List.of(ORDERS, REPORTS), () -> scheduler);

    @Test
    void declaresEveryQueueWhileTheApplicationStarts() {
        declarer.start();

        assertThat(client.declared).containsExactly(ORDERS, REPORTS);
        assertThat(declarer.declared()).isCompleted();
        assertThat(scheduler.tasks).isEmpty();
    }

    @Test
    void keepsTryingInTheBackgroundWhileTheBrokerIsAwayAndWarnsOnce(CapturedOutput output) {
        client.declarationProblem = queue -> new FilaException("broker-unreachable", "no broker", true, null);
        declarer.start();
        assertThat(declarer.declared()).isNotDone();

        scheduler.last().run();
        scheduler.last().run();
        assertThat(declarer.declared()).isNotDone();

        client.declarationProblem = queue -> null;
        scheduler.last().run();
        assertThat(client.declared).containsExactly(ORDERS, REPORTS);
        assertThat(declarer.declared()).isCompleted();
        assertThat(scheduler.tasks).extracting(task -> task.delay.toMillis()).containsExactly(500L, 1000L, 2000L);
        assertThat(output).containsOnlyOnce("WARN").contains("[orders, reports]");
    }

    @Test
    void goesOnWithWhatIsLeftAfterAnInterruption() {
        client.declarationProblem =
                queue -> queue == REPORTS ? new FilaException("timed-out", "slow", true, null) : null;
        declarer.start();
        client.declarationProblem = queue -> null;
        scheduler.last().run();

        assertThat(client.declared).containsExactly(ORDERS, REPORTS);
    }

    @Test
    void leavesAQueueAsItIsWhenItsSettingsAreRefused(CapturedOutput output) {
        client.declarationProblem =
                queue -> queue == ORDERS ? new FilaException("immutable-setting", "fixed", false, null) : null;
        declarer.start();

        assertThat(client.declared).containsExactly(REPORTS);
        assertThat(declarer.declared()).isCompleted();
        assertThat(output).contains("queue 'orders' is left as it is");
    }

    @Test
    void givesUpWhenTheApplicationStops() {
        client.declarationProblem = queue -> new FilaException("broker-unreachable", "no broker", true, null);
        declarer.start();
        declarer.stop();
        client.declarationProblem = queue -> null;
        scheduler.last().run();

        assertThat(client.declared).isEmpty();
    }
}
