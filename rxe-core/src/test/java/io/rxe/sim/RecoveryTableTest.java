package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.Operation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Limits for the cost of loss and reordering that {@link RecoveryTable} prints: means over seeds, the same on every machine.
 */
class RecoveryTableTest {
    private static final int SEEDS = 20;

    @ParameterizedTest
    @EnumSource(value = Operation.class, names = {"RDMA_WRITE", "SEND", "RDMA_READ"})
    void fivePercentLossCostsAtMostThreeFramesInTen(Operation operation) {
        RecoveryTable.Amplification line = RecoveryTable.amplification(operation, false, RecoveryTable.lossy(), "loss", SEEDS);
        assertTrue(line.mean() <= 1.3, line::toString);
    }

    @ParameterizedTest
    @EnumSource(value = Operation.class, names = {"RDMA_WRITE", "SEND", "RDMA_READ"})
    void fivePercentLossToAPeerThatDiscardsCostsAtMostOneFrameForEach(Operation operation) {
        RecoveryTable.Amplification line = RecoveryTable.amplification(operation, true, RecoveryTable.lossy(), "loss", SEEDS);
        assertTrue(line.mean() <= 2, line::toString);
    }

    @ParameterizedTest
    @EnumSource(value = Operation.class, names = {"RDMA_WRITE", "SEND", "RDMA_READ"})
    void disorderWithoutLossCostsAtMostOneFrameInTwenty(Operation operation) {
        RecoveryTable.Amplification line = RecoveryTable.amplification(operation, false, RecoveryTable.disordered(), "disorder", SEEDS);
        assertTrue(line.mean() <= 1.05, line::toString);
    }
}
