package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.qp.send.RetryState;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a queue pair must reach over a path, in counts and virtual time: the same on every machine. {@link PathTable} prints the figures.
 */
class PathTest {
    private static final long MS = 1_000_000;
    private static final List<Operation> OPERATIONS = List.of(Operation.RDMA_WRITE, Operation.SEND, Operation.RDMA_READ);
    /** Round trips until a queue pair may be expected to know its path. */
    private static final int SETTLED = 20;

    private static TransferResult over(LinkFaults eachWay, Operation operation, int roundTrips) {
        return PathTable.run(PathTable.filling(eachWay, operation, roundTrips)).succeeded();
    }

    /** A READ request that is lost holds up the responses to all behind it for a round trip. */
    private static void assertShare(double least, double leastOfRead, TransferResult result) {
        assertShare(result.plan().operation == Operation.RDMA_READ ? leastOfRead : least, result);
    }

    private static void assertShare(double least, TransferResult result) {
        double share = result.shareAfter(SETTLED);
        assertTrue(share >= least, () -> result.plan().operation + " reached " + share + " of the rate, " + least + " expected; "
            + result.recovery());
    }

    private static void assertFewNeedless(TransferResult result) {
        assertTrue(result.needless() <= 0.001, () -> result.plan().operation + ": " + result.needless() + " of the data frames had arrived"
            + " before; " + result.recovery());
    }

    private static void assertTimerLeftAlone(TransferResult result) {
        long timeouts = result.counter(NicCounter.ACK_TIMEOUT);
        assertTrue(timeouts <= result.arrivals().lostAtLeast(3), () -> result.plan().operation + ": the ACK timer fired " + timeouts
            + " times, and " + result.arrivals().lostAtLeast(3) + " packets were lost three times");
    }

    @Test
    @DisplayName("the window opens to what the path holds, within 15 round trips")
    void theWindowOpens() {
        for (Operation operation : OPERATIONS) {
            TransferResult result = over(PathTable.far(), operation, 40);
            assertShare(0.95, result);
            double roundTrips = result.roundTripsTo(0.9);
            assertTrue(roundTrips <= 15, () -> operation + ": " + roundTrips + " round trips to 0.9 of the rate");
        }
    }

    @Test
    @DisplayName("round trips that vary by half neither close the window nor count as losses")
    void jitterIsNoQueueAndNoLoss() {
        for (Operation operation : OPERATIONS) {
            TransferResult result = over(PathTable.far().jitter(5 * MS), operation, 60);
            assertShare(0.9, 0.7, result);
            assertFewNeedless(result);
        }
    }

    @Test
    @DisplayName("a packet that others overtake by less than a round trip is not lost")
    void whatIsOvertakenIsNotLost() {
        for (Operation operation : OPERATIONS) {
            TransferResult result = over(PathTable.near().late(0.2, MS / 5), operation, 300);
            assertShare(0.9, result);
            assertFewNeedless(result);
        }
    }

    @Test
    @DisplayName("every gap is repaired in the same round trip: a loss costs its packet and no more")
    void everyGapIsRepairedAtOnce() {
        for (Operation operation : OPERATIONS) {
            TransferResult result = over(PathTable.near().loss(0.05), operation, 300);
            assertShare(0.87 * 0.95, 0.7, result);
            assertFewNeedless(result);
        }
    }

    @Test
    @DisplayName("a burst is repaired as a single loss is")
    void aBurstIsRepairedAtOnce() {
        for (Operation operation : OPERATIONS) {
            assertShare(0.9 * 0.95, over(PathTable.burstsOfEight(PathTable.near()), operation, 300));
        }
    }

    @Test
    @DisplayName("a lost ACK is made up for by the next: nothing is sent again")
    void lostAcksCostNothing() {
        for (Operation operation : List.of(Operation.RDMA_WRITE, Operation.SEND)) {
            TransferResult result = PathTable.run(PathTable.filling(PathTable.near(), operation, 300).ackLoss(0.5)).succeeded();
            assertShare(0.95 * 0.95, result);
            assertFewNeedless(result);
        }
    }

    @Test
    @DisplayName("the loss of the last packet shows within two round trips, and the timer does not fire")
    void theTailIsProbed() {
        for (Operation operation : OPERATIONS) {
            for (int bytes : new int[] {1024, 65536}) {
                TransferResult result = PathTable.run(TransferPlan.over(PathTable.near().loss(0.01)).messages(operation, 5_000, bytes)
                    .depth(1)).succeeded();
                double roundTrips = result.latency(0.99);
                double most = operation == Operation.RDMA_READ ? 3.3 : 3;
                assertTrue(roundTrips <= most, () -> operation + " of " + bytes + " bytes: " + roundTrips + " round trips");
                assertTimerLeftAlone(result);
            }
        }
    }

    @Test
    @DisplayName("a retransmission that is lost again is noticed without the timer")
    void aLostRepairDoesNotWaitForTheTimer() {
        for (Operation operation : OPERATIONS) {
            assertTimerLeftAlone(PathTable.run(TransferPlan.over(PathTable.near().loss(0.1)).messages(operation, 2_000, 65536).depth(8))
                .succeeded());
        }
    }

    @Test
    @DisplayName("a path that becomes longer keeps most of its rate: the least round trip is forgotten")
    void aLongerPathKeepsItsRate() {
        for (Operation operation : OPERATIONS) {
            for (long longerMs : operation == Operation.RDMA_READ ? new long[] {12, 14, 19} : new long[] {19}) {
                LinkFaults there = PathTable.path(1e9, MS).queue(2_500_000);
                TransferPlan plan = new TransferPlan(there, PathTable.path(1e9, MS).queue(2_500_000))
                    .messages(operation, Long.MAX_VALUE, 1 << 17).depth(128).window(16 << 20)
                    .longer(200 * MS, longerMs * MS).duration(2_500 * MS);
                plan.maxRdAtomic = 128;
                TransferResult result = PathTable.run(plan).succeeded();
                double share = result.arrivals().throughput.bitsPerSecond(800 * MS, 2_500 * MS) / 1e9;
                // For a second or two the peer takes what READ requests need longer for a wait behind others.
                double least = operation == Operation.RDMA_READ ? 0.85 : 0.9;
                assertTrue(share >= least, () -> operation + " reached " + share + " of the rate, " + longerMs + " ms longer; "
                    + result.recovery());
            }
        }
    }

    @Test
    @DisplayName("on a path that becomes longer dozens of queue pairs keep the rate: one answer tells all that it may take longer")
    void aLongerPathIsKnownToAll() {
        TransferPlan plan = new TransferPlan(PathTable.path(1e9, MS), PathTable.path(1e9, MS)).queuePairs(1, 64).depth(4)
            .messages(Operation.RDMA_WRITE, Long.MAX_VALUE, 65536).longer(300 * MS, 9 * MS).duration(1_500 * MS);
        TransferResult result = PathTable.run(plan).succeeded();
        double share = result.arrivals().throughput.bitsPerSecond(800 * MS, 1_500 * MS) / 1e9;
        assertTrue(share >= 0.9, () -> share + " of the rate; " + result.recovery());
    }

    @Test
    @DisplayName("a path that becomes a little longer keeps its rate: the window does not shrink for ever against a wait that is no queue")
    void aPathALittleLongerKeepsItsRate() {
        for (long longerNs : new long[] {MS / 2, MS}) {
            assertKeepsItsRate(Operation.RDMA_WRITE, 4, longerNs, 300 * MS);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA_WRITE", "RDMA_READ"})
    @DisplayName("nor does it stay small where small windows may wait for as long as the path became longer")
    void aSmallWindowSeesThatThePathIsLonger(Operation operation) {
        for (long longerNs : new long[] {MS / 2, MS, 2 * MS}) {
            assertKeepsItsRate(operation, 32, longerNs, 1_000 * MS);
        }
    }

    private static void assertKeepsItsRate(Operation operation, int depth, long longerNs, long fromNs) {
        LinkFaults there = new LinkFaults().latency(MS / 2).bandwidth(1e9).queue(256_000);
        LinkFaults back = new LinkFaults().latency(MS / 2).bandwidth(1e9).queue(256_000);
        TransferPlan plan = new TransferPlan(there, back).queuePairs(1, 16).depth(depth)
            .messages(operation, Long.MAX_VALUE, 65536).longer(fromNs, longerNs).duration(fromNs + 2_000 * MS);
        double share = PathTable.run(plan).succeeded().arrivals().throughput.bitsPerSecond(fromNs + 1_600 * MS, fromNs + 2_000 * MS) / 1e9;
        assertTrue(share >= 0.9, () -> operation + ": " + share + " of the rate, " + longerNs + " ns longer");
    }

    @Test
    @DisplayName("a window that closes now and then to see the path costs less than a round trip each time")
    void theCostOfDrainsIsSmall() {
        double share = PathTable.run(PathTable.filling(PathTable.path(10e9, 3 * MS), Operation.RDMA_WRITE, 80)).succeeded().shareAfter(15);
        assertTrue(share >= 0.96, () -> share + " of the rate");
    }

    @Test
    @DisplayName("threads that do not run for a while lose nothing: nothing is taken for lost, and no READ leaves several times")
    void aBusyHostLosesNothing() {
        for (int queuePairs : new int[] {1, 8}) {
            TransferResult result = PathTable.run(TransferPlan.over(PathTable.path(40e9, 10_000).queue(4 << 20)).queuePairs(1, queuePairs)
                .messages(Operation.RDMA_READ, Long.MAX_VALUE, 65536).depth(16 / queuePairs + 2).busy(MS, MS).duration(300 * MS));
            assertTrue(result.counter(NicCounter.LOSS_PROBE) > 0, "no thread was away for long");
            assertEquals(0, result.counter(NicCounter.IMPLIED_NAK), result::recovery);
        }
    }

    @Test
    @DisplayName("after two seconds of silence the rate is back within three round trips and 100 ms")
    void silenceLeavesNoTrace() {
        for (Operation operation : OPERATIONS) {
            TransferResult result = PathTable.run(PathTable.filling(PathTable.far(), operation, 40).timeout(17).outage(800 * MS, 2_000 * MS)
                .duration(3_500 * MS)).succeeded();
            long reachedNs = result.arrivals().throughput.reachedNs(0.95 * 0.95 * 1e9, 2_800 * MS);
            assertTrue(reachedNs <= 2_960 * MS, () -> operation + ": the rate is back " + (reachedNs / MS - 2_800) + " ms later");
        }
    }

    @Test
    @DisplayName("queue pairs that are dead do not keep others from the rate: nothing of them is in flight, or lost in a queue")
    void theDeadDoNotHoldUpTheLiving() {
        for (Operation operation : OPERATIONS) {
            for (int dead : new int[] {1, 3}) {
                assertLivesBeside(dead, 18, operation);
            }
            // Nothing makes one without an ACK timeout look whether it is ignored, but the peer send window.
            assertLivesBeside(3, 0, operation);
        }
    }

    @Test
    @DisplayName("on a long path the probes of dead queue pairs do not keep others from the window either")
    void probesOfTheDeadDoNotHoldUpTheLiving() {
        for (Operation operation : OPERATIONS) {
            TransferPlan plan = TransferPlan.over(PathTable.far()).queuePairs(1, 4).depth(32).messages(operation, Long.MAX_VALUE, 65536)
                .duration(2_500 * MS);
            Transfer transfer = new Transfer(plan, null);
            for (int i = 0; i < 3; i++) {
                int queuePair = i;
                transfer.after(500 * MS, () -> transfer.closeResponder(queuePair));
            }
            double share = transfer.run().arrivals().throughput.bitsPerSecond(1_000 * MS, 2_500 * MS) / 1e9;
            assertTrue(share >= 0.2, () -> operation + " beside 3 dead queue pairs: " + share);
        }
    }

    private static void assertLivesBeside(int dead, int timeout, Operation operation) {
        TransferPlan plan = TransferPlan.over(new LinkFaults().latency(30_000).bandwidth(1e9).queue(256_000)).queuePairs(1, 4)
            .depth(4).messages(operation, Long.MAX_VALUE, 32768).timeout(timeout).duration(1_500 * MS);
        Transfer transfer = new Transfer(plan, null);
        for (int i = 0; i < dead; i++) {
            int queuePair = i;
            transfer.after(500 * MS, () -> transfer.closeResponder(queuePair));
        }
        double share = transfer.run().arrivals().throughput.bitsPerSecond(1_000 * MS, 1_500 * MS) / 1e9;
        assertTrue(share >= 0.95, () -> operation + " beside " + dead + " dead queue pairs: " + share);
    }

    @Test
    @DisplayName("queue pairs whose peers are never ready to receive leave the path to others, and go on when the peers are ready")
    void theRefusedDoNotHoldUpOthers() {
        TransferPlan plan = TransferPlan.over(new LinkFaults().latency(30_000).bandwidth(1e9).queue(256_000)).queuePairs(1, 64)
            .depth(4).messages(Operation.SEND, Long.MAX_VALUE, 32768).refused(60, 1).duration(1_500 * MS);
        Transfer transfer = new Transfer(plan, null);
        transfer.after(1_000 * MS, () -> IntStream.range(0, plan.refused).forEach(transfer::getReady));
        Throughput throughput = transfer.run().succeeded().arrivals().throughput;
        double share = throughput.bitsPerSecond(500 * MS, 1_000 * MS) / 1e9;
        assertTrue(share >= 0.9, () -> "share of the others: " + share);
        for (int i = 0; i < plan.refused; i++) {
            assertTrue(transfer.arrivedBytes(i) > plan.depth * plan.messageBytes, "queue pair " + i + " goes on");
        }
    }

    @Test
    @DisplayName("on a path that ends, every queue pair fails when its retries are used up, also where probes wait for room")
    void allFailOnAPathThatEnds() {
        for (Operation operation : OPERATIONS) {
            // Eight times 5/4 of the timeout, and a second until the peer counts as dead.
            long retriesNs = 10 * RetryState.timeoutNs(17) + 1_000 * MS;
            TransferPlan plan = TransferPlan.over(PathTable.far()).queuePairs(1, 64).depth(4)
                .messages(operation, Long.MAX_VALUE, 32768).timeout(17).outage(500 * MS, Long.MAX_VALUE / 2).duration(500 * MS + retriesNs);
            assertEquals(64, PathTable.run(plan).failures().size(), () -> operation + " for " + retriesNs / MS + " ms");
        }
    }

    @Test
    @DisplayName("no queue pair fails while its packets are acknowledged or only queue")
    void aCrowdOverASlowLineSurvives() {
        for (int bufferBytes : new int[] {40_000, 1_000_000}) {
            for (Operation operation : List.of(Operation.RDMA_WRITE, Operation.RDMA_READ)) {
                TransferResult result = PathTable.run(PathTable.crowd(1, 64, bufferBytes, operation));
                assertEquals(List.of(), result.failures(), () -> operation + ", buffer of " + bufferBytes + " bytes");
            }
        }
    }

    @Test
    @DisplayName("NICs whose first READs were lost together do not ask again together until all retries are used up")
    void latecomersGetTheirTurn() {
        TransferPlan plan = PathTable.crowd(16, 1, 256_000, Operation.RDMA_READ).depth(128).seed(977).duration(1_000 * MS);
        assertEquals(List.of(), PathTable.run(plan).failures());
    }

    @Test
    @DisplayName("on a path longer than the ACK timeout, queue pairs know from the first that was answered how long it is")
    void theFirstAnswerTellsAllHowLongThePathIs() {
        LinkFaults path = PathTable.path(1e9, 100 * MS);
        TransferResult result = PathTable.run(TransferPlan.over(path).queuePairs(1, 64).depth(16)
            .messages(Operation.RDMA_WRITE, Long.MAX_VALUE, 1 << 20).duration(1_500 * MS)).succeeded();
        assertTrue(result.counter(NicCounter.ACK_TIMEOUT) <= 8, result::recovery);
        assertTrue(result.shareAfter(10) >= 0.9, () -> result.shareAfter(10) + " of the rate; " + result.recovery());
    }

    @Test
    @DisplayName("queue pairs whose first packets are all lost do not wait for the timer while the peer answers others")
    void firstPacketsAreProbedToo() {
        TransferResult result = PathTable.neighbours(1, 64, 40_000, 100 * MS).run();
        assertEquals(0, result.counter(NicCounter.ACK_TIMEOUT), result::recovery);
        double bitsPerSecond = result.arrivals().throughput.bitsPerSecond(50 * MS, 100 * MS);
        assertTrue(bitsPerSecond >= 0.85e9, () -> bitsPerSecond + " bit/s of 1e9; " + result.recovery());
    }

    @Test
    @DisplayName("queue pairs with a packet each see from their probes that a queue overflows")
    void probesShowTheLossesOfSinglePackets() {
        TransferResult result = PathTable.run(TransferPlan.over(new LinkFaults().latency(MS / 2).bandwidth(200e6).queue(256_000))
            .queuePairs(16, 16).messages(Operation.SEND, Long.MAX_VALUE, 4096).depth(1).duration(2_000 * MS)).succeeded();
        double again = (double) result.counter(NicCounter.RETRANSMITTED_PKTS) / result.dataFrames();
        assertTrue(again <= 0.2, () -> again + " of the data frames were sent again; " + result.recovery());
    }

    @Test
    @DisplayName("dozens of NICs that begin together share a buffer of about a packet each equally, and lose little of what they send")
    void aCrowdOverAShortBufferSharesEqually() {
        Transfer transfer = PathTable.neighbours(32, 1, 40_000, 2_000 * MS);
        Supplier<long[]> completed = transfer.completedFrom(1_000 * MS);
        TransferResult result = transfer.run().succeeded();
        double jain = PathTable.jainsIndex(completed.get());
        assertTrue(jain >= 0.95, () -> "Jain's index " + jain);
        double again = (double) result.counter(NicCounter.RETRANSMITTED_PKTS) / result.dataFrames();
        assertTrue(again <= 0.02, () -> again + " of the data frames were sent again; " + result.recovery());
    }

    @Test
    @DisplayName("a NIC that joins another has an equal share a second later, however few packets each had in the queue that overflowed")
    void whoJoinsSharesEqually() {
        for (long afterNs : new long[] {32 * MS, 128 * MS, 240 * MS}) {
            assertSharesEqually(PathTable.shared(1e9, 80_000).mtu(PathMtu.MTU_1024), afterNs);
            assertSharesEqually(PathTable.shared(200e6, 100_000), afterNs);
            assertSharesEqually(PathTable.shared(1e9, 256_000).messages(Operation.RDMA_READ, Long.MAX_VALUE, 16384), afterNs);
        }
    }

    @ParameterizedTest
    @MethodSource("io.rxe.sim.PathTable#bothWaysKinds")
    @DisplayName("data of opposite directions fills both: ACKs or READ requests that wait in one are no queue of the other")
    void bothDirectionsAreFilled(String kind) {
        for (long roundTripNs : new long[] {MS / 25, MS}) {
            List<Double> shares = PathTable.sharesBothWays(kind, 1e9, roundTripNs);
            double least = kind.startsWith("R") ? 0.75 : 0.85;
            assertTrue(shares.stream().allMatch(share -> share >= least), () -> "shares " + shares + " over " + roundTripNs + " ns");
        }
    }

    private static void assertSharesEqually(TransferPlan plan, long afterNs) {
        double jain = PathTable.jainAfterJoins(plan.queuePairs(2, 8), afterNs);
        assertTrue(jain >= 0.9, () -> "Jain's index " + jain + " of a join after " + afterNs + " ns, " + plan.there);
    }

    @Test
    @DisplayName("dcqcn keeps a queue that marks packets short, loses nothing, and two NICs share fairly")
    void marksKeepTheQueueShort() {
        Transfer transfer = PathTable.marking(2, "dcqcn", 300 * MS);
        Supplier<long[]> completed = transfer.completedFrom(100 * MS);
        TransferResult result = transfer.run().succeeded();
        double goodput = result.arrivals().throughput.bitsPerSecond(100 * MS, 300 * MS) / 10e9;
        assertTrue(goodput >= 0.95, () -> "share of the rate " + goodput);
        assertEquals(0, result.counter(NicCounter.RETRANSMITTED_PKTS));
        assertTrue(result.counter(NicCounter.RP_CNP_HANDLED) > 100, "no CNPs");
        long waitNs = transfer.bottleneck().waitNs(0.95);
        assertTrue(waitNs <= PathTable.MARK_TO_BYTES * 8 / 10, () -> waitNs + " ns in the queue");
        double jain = PathTable.jainsIndex(completed.get());
        assertTrue(jain >= 0.95, () -> "Jain's index " + jain);
        Transfer heedless = PathTable.marking(2, "none", 50 * MS);
        heedless.run();
        assertTrue(heedless.bottleneck().waitNs(0.5) > 1_000_000, "without a controller the queue is long");
    }

    @Test
    @DisplayName("dcqcn does not take losses by chance for congestion")
    void dcqcnBearsLosses() {
        TransferPlan plan = PathTable.filling(PathTable.near().loss(0.01), Operation.RDMA_WRITE, 300).congestion(CongestionOptions.DCQCN);
        assertShare(0.9, PathTable.run(plan).succeeded());
    }

    @Test
    @DisplayName("to a go-back-N receiver the window fits the loss")
    void theWindowToAGoBackNReceiverFitsTheLoss() {
        for (Operation operation : OPERATIONS) {
            TransferPlan plan = PathTable.filling(PathTable.near().loss(0.01), operation, 300).toGoBackN(true);
            assertShare(0.5, 0.75, PathTable.run(plan).succeeded());
        }
        double kept = PathTable.keptToGoBackN(Operation.SEND);
        assertTrue(kept >= 0.60, () -> "kept " + kept + " of the rate without loss");
    }

    @Test
    @DisplayName("a line on which few packets wait for long is full: it takes a third of a millisecond for each")
    void aSlowLineIsFull() {
        for (Operation operation : OPERATIONS) {
            for (long roundTripNs : new long[] {MS / 10, MS, 5 * MS}) {
                assertShare(0.95, over(PathTable.path(100e6, roundTripNs), operation, (int) (2_000 * MS / roundTripNs)));
            }
        }
    }

    @Test
    @DisplayName("to a go-back-N receiver a short queue seldom overflows, since that costs all that is in flight")
    void theWindowToAGoBackNReceiverFitsTheQueue() {
        for (Operation operation : List.of(Operation.RDMA_WRITE, Operation.SEND)) {
            LinkFaults path = PathTable.path(1e9, MS / 5).queue(40_000);
            assertShare(0.8, PathTable.run(PathTable.filling(path, operation, 500).toGoBackN(true)).succeeded());
        }
    }
}
