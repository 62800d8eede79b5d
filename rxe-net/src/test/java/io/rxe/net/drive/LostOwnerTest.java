package io.rxe.net.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.TestNode;
import io.rxe.port.Progress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A thread that ends while it owns an engine: the engine fails with a word, and goes on")
@Timeout(60)
class LostOwnerTest {
    private static TestNode node(String progress) throws Exception {
        TestNode node = new TestNode(RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1"))
            .withProgress(Progress.valueOf(progress)));
        Thread owner = new Thread(() -> {
            while (!node.loop.ownership.tryAcquire()) {
                Thread.onSpinWait();
            }
        }, "test-lost");
        owner.start();
        owner.join();
        return node;
    }

    private static void expectFailure(TestNode node) throws InterruptedException {
        String failure = node.failures.take().getMessage();
        assertTrue(failure.contains("thread test-lost ended"), failure);
        String warning = node.warnings.take();
        assertTrue(warning.contains("open another"), warning);
        assertEquals(0, node.failures.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"POLLING", "MANUAL"})
    @DisplayName("whoever waits for the engine takes it")
    void aCallerTakesIt(String progress) throws Exception {
        try (TestNode node = node(progress)) {
            int[] ran = {0};
            node.call(() -> ran[0]++);
            assertEquals(1, ran[0]);
            expectFailure(node);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POLLING", "MANUAL"})
    @DisplayName("the watchdog takes it, and threads that poll drive it again")
    void theWatchdogTakesIt(String progress) throws Exception {
        try (TestNode node = node(progress)) {
            node.loop.watch();
            expectFailure(node);
            int polls = node.polls.get();
            while (node.polls.get() == polls) {
                node.loop.progress();
            }
        }
    }
}
