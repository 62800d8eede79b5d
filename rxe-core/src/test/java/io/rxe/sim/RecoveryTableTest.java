package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What losses and disorder may cost: counts in virtual time, the same on every machine. The means over the seeds that {@link RecoveryTable}
 * prints.
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

    @Test
    void aTenthOfAPercentOfLossLeavesNineTenthsOfTheGoodput() {
        double lossless = RecoveryTable.gigabits(Operation.RDMA_WRITE, 0, 400, 1);
        double lossy = RecoveryTable.gigabits(Operation.RDMA_WRITE, 0.001, 400, 4);
        assertTrue(lossy >= 0.9 * lossless, () -> lossy + " of " + lossless + " Gbit/s");
    }

    @Test
    void onePercentOfLossLeavesThreeFifthsOfTheGoodput() {
        double lossless = RecoveryTable.gigabits(Operation.RDMA_WRITE, 0, 400, 1);
        double lossy = RecoveryTable.gigabits(Operation.RDMA_WRITE, 0.01, 400, 4);
        assertTrue(lossy >= 0.6 * lossless, () -> lossy + " of " + lossless + " Gbit/s");
    }
}
