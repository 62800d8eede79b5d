package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.Operation;
import org.junit.jupiter.api.Test;

/** The models that NICs are compared with do what their sources say. */
class PathModelTest {
    private static final LinkFaults LINE = new LinkFaults().bandwidth(8e9).queue(3000);

    @Test
    void aBottleneckDropsWhatItsQueueHasNoRoomFor() {
        Bottleneck bottleneck = new Bottleneck();
        assertEquals(2000, bottleneck.leavesNs(2000, LINE, 0));
        assertEquals(4000, bottleneck.leavesNs(2000, LINE, 0));
        assertEquals(Bottleneck.DROPPED, bottleneck.leavesNs(2000, LINE, 0), "4000 bytes wait");
        assertEquals(6000, bottleneck.leavesNs(2000, LINE, 1000), "3000 bytes wait");
    }

    @Test
    void aQueueOfPacketsCountsThoseThatHaveNotLeft() {
        LinkFaults two = new LinkFaults().bandwidth(8e9).queuePackets(2);
        Bottleneck bottleneck = new Bottleneck();
        bottleneck.leavesNs(100, two, 0);
        bottleneck.leavesNs(100, two, 0);
        assertEquals(Bottleneck.DROPPED, bottleneck.leavesNs(100, two, 99));
        assertEquals(300, bottleneck.leavesNs(100, two, 100));
    }

    @Test
    void cubicFillsALineAndLossCostsItMost() {
        double clean = PathTable.alone(CubicSender::new, PathTable.path(1e9, 5_000_000), 200);
        assertTrue(clean >= 0.9, () -> "share of the rate " + clean);
        // RFC 9438, section 5: 1.054 (T / p)^0.75 packets in a round trip, or what Reno reaches, 1.2 / sqrt(p), if that is more.
        double lossy = PathTable.alone(CubicSender::new, PathTable.path(1e9, 5_000_000).loss(0.01), 1000);
        assertTrue(lossy < 0.15, () -> "share of the rate " + lossy);
    }

    @Test
    void goBackNLosesARoundTripWithEachPacket() {
        double clean = PathTable.alone(GoBackNSender::new, PathTable.near(), 300);
        assertTrue(clean >= 0.95, () -> "share of the rate " + clean);
        double lossy = PathTable.alone(GoBackNSender::new, PathTable.near().loss(0.01), 1000);
        // 61 packets are in flight on the path, up to 128 with the queue: (1 - p) / (1 - p + W p).
        double most = 0.99 / (0.99 + 61 * 0.01);
        assertTrue(lossy < most, () -> lossy + " is more than " + most);
        assertTrue(lossy > 0.1, () -> "share of the rate " + lossy);
    }

    @Test
    void aConstantRateIsKeptBesideOthers() {
        TransferPlan plan = PathTable.filling(PathTable.path(1e9, 1_000_000), Operation.RDMA_WRITE, 100);
        Transfer transfer = new Transfer(plan, null);
        Throughput other = transfer.beside((time, network, flow, bytes) -> new ConstantRateSender(time, network, flow, bytes, 0.3e9));
        TransferResult ours = transfer.run().succeeded();
        double theirs = other.bitsPerSecond(20_000_000, plan.durationNs) / 1e9;
        assertTrue(theirs > 0.2 && theirs <= 0.31, () -> "share of the rate " + theirs);
        assertTrue(ours.shareAfter(20) + theirs <= 1, () -> ours.shareAfter(20) + " and " + theirs + " of one line");
    }
}
