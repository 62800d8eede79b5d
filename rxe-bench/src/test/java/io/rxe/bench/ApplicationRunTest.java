package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.verbs.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A run of an application")
class ApplicationRunTest {
    private static final Workload WORKLOAD = new Workload(Operation.SEND, 8);

    private final ApplicationRun run = new ApplicationRun(Application.ENGINES, WORKLOAD, 1);

    private static ApplicationSide side(BooleanSupplier poll, Runnable arm) {
        return new ApplicationSide() {
            @Override
            public boolean poll() {
                return poll.getAsBoolean();
            }

            @Override
            public void arm() {
                arm.run();
            }
        };
    }

    private static ApplicationSide idle() {
        return side(() -> false, () -> { });
    }

    private static ApplicationSide failing(TransferFailure failure) {
        return side(() -> {
            throw failure;
        }, () -> { });
    }

    @Test
    void pollsAgainAfterArmingUntilThereIsNothing() {
        List<String> steps = new ArrayList<>();
        run.channel(side(() -> {
            steps.add("take");
            return steps.size() < 4;
        }, () -> steps.add("arm"))).signal(null);
        assertEquals(List.of("take", "arm", "take", "take", "arm", "take"), steps);
    }

    @Test
    void reportsTheFirstFailureEvenIfTheOtherSideSucceeds() {
        TransferFailure first = new TransferFailure("first");
        run.channel(failing(first)).signal(null);
        run.channel(failing(new TransferFailure("second"))).signal(null);
        run.end();
        assertSame(first, assertThrows(TransferFailure.class, () -> run.await(idle(), idle(), () -> { }, 0)));
    }

    @ParameterizedTest
    @EnumSource
    void namesTheAwaitedCompletionsOnAStall(Application application) {
        ApplicationRun stalled = new ApplicationRun(application, WORKLOAD, 2_000_000);
        TransferFailure stall = assertThrows(TransferFailure.class, () -> stalled.await(idle(), idle(), () -> { }, 0));
        assertEquals("nothing happened for " + (application == Application.ENGINES ? "a long time" : "2 ms")
            + " while waiting for completions of " + WORKLOAD, stall.getMessage());
    }

    @ParameterizedTest
    @EnumSource(names = {"CALLER", "THREADS"})
    void aFailureOfTheSecondSideEndsTheFirst(Application application) {
        TransferFailure failure = new TransferFailure("second");
        ApplicationRun polled = new ApplicationRun(application, WORKLOAD, Long.MAX_VALUE);
        assertSame(failure, assertThrows(TransferFailure.class, () -> polled.await(idle(), failing(failure), () -> { }, 0)));
    }
}
