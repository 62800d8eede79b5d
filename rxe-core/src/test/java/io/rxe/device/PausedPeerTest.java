package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A peer whose thread stands still for a while, on a link that loses nothing: what is retransmitted without need. */
class PausedPeerTest {
    private static final int MESSAGE_BYTES = 64 << 10;
    private static final int OUTSTANDING = 8;
    /** Of a message, at the path MTU of 1024 bytes. */
    private static final int PACKETS = MESSAGE_BYTES / 1024;
    /** Probes before their interval doubles, and the one after. */
    private static final int AT_ONCE = 5;
    /** The earliest a probe follows: the round trip of this link is shorter. */
    private static final int FIRST_PROBE_US = 300;

    private final NicPair pair = new NicPair();
    private int completed;

    private void post(boolean isRead) {
        WorkRequest request = isRead ? new WorkRequest().read(pair.right.region.address(), pair.right.region.rKey())
            : new WorkRequest().write(pair.right.region.address(), pair.right.region.rKey());
        pair.left.post(request.add(pair.left.region, 0, MESSAGE_BYTES));
    }

    private void run(boolean isRead, int steps) {
        WorkCompletion done = new WorkCompletion();
        for (int i = 0; i < steps; i++) {
            pair.steps(1);
            while (pair.left.queue.poll(done)) {
                assertTrue(done.isSuccess(), done::toString);
                completed++;
                post(isRead);
            }
        }
    }

    @ParameterizedTest(name = "READ {0}, paused for {1} us")
    @CsvSource({"false, 500", "false, 2000", "false, 10000", "false, 60000", "true, 500", "true, 2000", "true, 10000", "true, 60000"})
    @DisplayName("T3 on a lossless link a pause costs probes of one packet, soon fewer and fewer, and answers to them once the peer runs"
        + " again")
    void aPauseCostsProbesOnly(boolean isRead, int pauseUs) {
        for (int i = 0; i < OUTSTANDING; i++) {
            post(isRead);
        }
        run(isRead, 5_000);
        assertEquals(0, pair.leftNic.counter(NicCounter.RETRANSMITTED_PKTS));
        int before = completed;
        pair.stepsOfLeft(pauseUs);
        long probes = pair.leftNic.counter(NicCounter.LOSS_PROBE);
        long doublings = Math.round(Math.ceil(Math.log((double) pauseUs / FIRST_PROBE_US) / Math.log(2)));
        assertTrue(probes >= 1 && probes <= AT_ONCE + doublings, probes + " probes in " + pauseUs + " us");
        assertEquals(probes, pair.leftNic.counter(NicCounter.RETRANSMITTED_PKTS));
        long responses = pair.rightNic.counter(NicCounter.SENT_PKTS);
        run(isRead, 5_000);
        assertEquals(probes, pair.leftNic.counter(NicCounter.RETRANSMITTED_PKTS), "nothing is retransmitted when the peer runs again");
        assertEquals(probes, pair.leftNic.counter(NicCounter.LOSS_PROBE));
        assertTrue(completed - before > 2 * OUTSTANDING, "the transfer goes on");
        if (isRead) {
            long answers = pair.rightNic.counter(NicCounter.SENT_PKTS) - responses;
            long needed = (long) (completed - before) * PACKETS;
            assertTrue(answers <= needed + probes * PACKETS, () -> answers + " responses instead of " + needed);
        }
    }
}
