package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.verbs.Operation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A measurement on the engines' threads")
class EngineRunTest {
    private final EngineRun run = new EngineRun(new Workload(Operation.SEND, 8));

    private void fail(TransferFailure failure) {
        run.channel(() -> {
            throw failure;
        }, () -> { }).signal(null);
    }

    @Test
    void pollsAgainAfterArmingUntilThereIsNothing() {
        List<String> steps = new ArrayList<>();
        run.channel(() -> {
            steps.add("take");
            return steps.size() < 4;
        }, () -> steps.add("arm")).signal(null);
        assertEquals(List.of("take", "arm", "take", "take", "arm", "take"), steps);
    }

    @Test
    void reportsTheFirstFailureEvenIfTheOtherSideSucceeds() {
        TransferFailure first = new TransferFailure("first");
        fail(first);
        fail(new TransferFailure("second"));
        run.end();
        assertSame(first, assertThrows(TransferFailure.class, () -> run.await(0)));
    }

    @Test
    void namesTheAwaitedCompletionsOnAStall() {
        TransferFailure stall = assertThrows(TransferFailure.class, () -> run.await(1));
        assertEquals("nothing happened for a long time while waiting for completions of " + new Workload(Operation.SEND, 8),
            stall.getMessage());
    }
}
