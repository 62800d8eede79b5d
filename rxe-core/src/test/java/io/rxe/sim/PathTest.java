package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.Operation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Limits for what {@link PathTable} prints, in counts and virtual time, the same on every machine. */
class PathTest {
    private static double gigabits(Operation operation, double loss, long seed) {
        TransferResult result = PathTable.run(TransferPlan.over(PathTable.near().queue(4 << 20).loss(loss)).seed(seed).messages(operation, 400, 65536))
            .succeeded();
        return result.bytes() * 8.0 / result.elapsedNs();
    }

    @ParameterizedTest
    @CsvSource({"0.001, 0.9", "0.01, 0.6", "0.05, 0.2"})
    void lossLeavesItsShareOfTheGoodput(double loss, double share) {
        for (Operation operation : new Operation[] {Operation.RDMA_WRITE, Operation.SEND, Operation.RDMA_READ}) {
            double lossless = gigabits(operation, 0, 1);
            double lossy = 0;
            for (int seed = 1; seed <= 4; seed++) {
                lossy += gigabits(operation, loss, seed) / 4;
            }
            assertTrue(lossy >= share * lossless, operation + ": " + lossy + " of " + lossless + " Gbit/s");
        }
    }

    @ParameterizedTest
    @EnumSource(value = Operation.class, names = {"RDMA_WRITE", "SEND", "RDMA_READ"})
    void aLostPacketIsRepairedInTwoRoundTripsWithoutTheTimer(Operation operation) {
        TransferResult result = PathTable.run(TransferPlan.over(PathTable.near().loss(0.01)).messages(operation, 5_000, 1024).depth(1))
            .succeeded();
        assertTrue(result.latency(0.99) <= 3, () -> result.latency(0.99) + " round trips");
        assertEquals(0, result.counter(NicCounter.ACK_TIMEOUT));
    }
}
