package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.port.Progress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several threads at one queue pair and one completion queue; {@code tools/dev/stress} does it for longer. */
class SharedQueuesTest {
    private static final long MESSAGES = 50_000;

    @ParameterizedTest(name = "{0} engines, progress {1}")
    @CsvSource({"1, THREAD", "2, THREAD", "1, POLLING", "2, POLLING", "1, MANUAL", "2, MANUAL"})
    @DisplayName("four threads post to one queue pair and four poll one completion queue: every completion once")
    void everyCompletionOnce(int engines, Progress progress) throws Exception {
        AtomicLong begun = new AtomicLong();
        try (SharedQueues queues = new SharedQueues(engines, progress)) {
            assertEquals(MESSAGES, queues.run(() -> begun.incrementAndGet() > MESSAGES));
        }
    }
}
