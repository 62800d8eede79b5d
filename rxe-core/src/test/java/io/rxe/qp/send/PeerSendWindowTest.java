package io.rxe.qp.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.rxe.port.Flow;
import io.rxe.qp.congestion.DelayControl;
import io.rxe.verbs.CongestionOptions;
import io.rxe.wire.Gid;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The bytes that all queue pairs together may have in flight to one peer")
public class PeerSendWindowTest {
    private static final int MTU = 4096 - PeerSendWindow.PACKET_BYTES;
    private static final int LIMIT_PACKETS = 64;
    /** An eighth of the window. */
    private static final int GRANT_PACKETS = LIMIT_PACKETS / 8;
    /** Of a long path, once it has doubled. */
    private static final int WINDOW_PACKETS = 2 * DelayControl.INITIAL_PACKETS;
    private static final Flow FLOW = flow("10.0.0.2");

    private final Peers peers = new Peers(LIMIT_PACKETS * 4096, LIMIT_PACKETS * 4096);
    private final List<String> grants = new ArrayList<>();
    private final PeerSendWindow.Share a = share("a");
    private final PeerSendWindow.Share b = share("b");
    private final PeerSendWindow.Share c = share("c");
    private long nowNs = 1;
    /** Of a long path. */
    private final Peers far = new Peers(1L << 30, 1L << 30);
    private PeerSendWindow.Share paced;

    private PeerSendWindow.Share share(String name) {
        return peers.join(FLOW, CongestionOptions.DELAY, MTU, () -> grants.add(name)).of(false);
    }

    @BeforeEach
    void openTheWindows() {
        open(a);
    }

    /** A round trip opens the window to its limit. */
    private void open(PeerSendWindow.Share share) {
        assertEquals(DelayControl.INITIAL_PACKETS, send(share, 1000));
        share.onSample(1, 0, true, nowNs);
        share.onArrived(DelayControl.INITIAL_PACKETS, nowNs);
        share.settle(0, nowNs);
        share.returnGrant();
        grants.clear();
    }

    private static Flow flow(String peer) {
        return new Flow(Gid.parse("10.0.0.1"), Gid.parse(peer), 4791, 4791);
    }

    /** Sends as much as the window allows, at most this many packets. */
    private int send(PeerSendWindow.Share share, int atMost) {
        int sent = 0;
        while (sent < atMost && share.claim(1, nowNs)) {
            share.sent(1, MTU);
            sent++;
        }
        return sent;
    }

    @Test
    @DisplayName("no queue pair waits while there is room; every one does at the limit")
    void theLimitHolds() {
        assertEquals(40, send(a, 40));
        assertEquals(LIMIT_PACKETS - 40, send(b, 1000));
        assertFalse(b.doOthersWait());
        assertTrue(a.doOthersWait());
        assertEquals(0, send(a, 1));
        assertTrue(b.doOthersWait());
        assertEquals(List.of(), grants);
    }

    @Test
    @DisplayName("waiting needs no memory: where the heap is used up, no queue pair is forgotten")
    void waitingNeedsNoMemory() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            Flow flow = flow("10.0.1." + round);
            List<PeerSendWindow.Share> shares = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                shares.add(peers.join(flow, CongestionOptions.DELAY, MTU, () -> { }).of(false));
            }
            send(shares.get(0), 1000);
            long before = threads.getThreadAllocatedBytes(id);
            for (int i = 1; i < shares.size(); i++) {
                shares.get(i).claim(1, nowNs);
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
            assertTrue(shares.get(0).doOthersWait());
        }
        assertEquals(0, least);
    }

    @Test
    @DisplayName("a queue pair that has left while it waited writes off nothing of the others")
    void whatHasLeftWaitsNoMore() {
        assertEquals(LIMIT_PACKETS, send(a, 1000));
        assertEquals(0, send(b, 1));
        b.leave();
        nowNs += 1_000_000_000_000L;
        assertFalse(b.settle(0, nowNs));
        assertEquals(0, send(c, 1));
    }

    @Test
    @DisplayName("waiting queue pairs get grants in the order they queued, and then queue behind the others")
    void grantsGoRound() {
        assertEquals(LIMIT_PACKETS, send(a, LIMIT_PACKETS));
        assertEquals(0, send(b, 1));
        assertEquals(0, send(c, 1));
        a.settle(LIMIT_PACKETS - GRANT_PACKETS, nowNs);
        assertEquals(List.of("b"), grants);
        assertEquals(GRANT_PACKETS, send(b, 1000));
        assertEquals(List.of("b"), grants);
        a.settle(LIMIT_PACKETS - 2 * GRANT_PACKETS, nowNs);
        assertEquals(List.of("b", "c"), grants);
        assertEquals(0, send(a, 1), "a grant is reserved for its queue pair");
        assertEquals(GRANT_PACKETS, send(c, 1000));
        b.settle(0, nowNs);
        assertEquals(List.of("b", "c", "b"), grants);
    }

    @Test
    @DisplayName("the rest of a grant that is returned goes to the next queue pair")
    void anUnusedTurnIsPassedOn() {
        send(a, LIMIT_PACKETS);
        send(b, 1);
        send(c, 1);
        a.settle(LIMIT_PACKETS - GRANT_PACKETS, nowNs);
        b.returnGrant();
        assertEquals(List.of("b", "c"), grants);
        assertFalse(a.claim(1, nowNs));
    }

    @Test
    @DisplayName("the last packet before a wait is known, so that it can request an acknowledgement")
    void theLastPacketIsKnown() {
        send(a, LIMIT_PACKETS - 2);
        assertFalse(a.isLast());
        send(a, 1);
        assertTrue(a.isLast());
    }

    @Test
    @DisplayName("small packets take little room; each acknowledged packet counts as the mean of all")
    void bytesCount() {
        a.sent(64, 0);
        a.sent(LIMIT_PACKETS - 9, (LIMIT_PACKETS - 9) * MTU);
        assertTrue(a.claim(1, nowNs), "64 packets of 512 bytes take the place of 8 full ones");
        a.sent(1, 0);
        assertFalse(a.claim(1, nowNs), "a full packet no longer fits");
        a.settle((64 + LIMIT_PACKETS - 9 + 1) / 2, nowNs);
        assertEquals(List.of("a"), grants, "half of the room is free");
        assertEquals(LIMIT_PACKETS / 2, send(a, 1000));
    }

    @Test
    @DisplayName("a queue pair that leaves gives everything back and no longer waits")
    void leavingGivesBack() {
        send(a, LIMIT_PACKETS);
        send(b, 1);
        send(c, 1);
        b.leave();
        a.leave();
        a.leave();
        assertEquals(List.of("c"), grants);
    }

    @Test
    @DisplayName("a queue pair that leaves with a grant passes it on")
    void leavingGivesTheGrantBack() {
        send(a, LIMIT_PACKETS);
        send(b, 1);
        send(c, 1);
        a.settle(LIMIT_PACKETS - GRANT_PACKETS, nowNs);
        b.leave();
        assertEquals(List.of("b", "c"), grants);
        assertEquals(GRANT_PACKETS, send(c, 1000));
    }

    @Test
    @DisplayName("each peer has a window of its own")
    void peersHaveSeparateWindows() {
        PeerSendWindow.Share other = peers.join(flow("10.0.0.3"), CongestionOptions.DELAY, MTU, () -> grants.add("other")).of(false);
        send(a, LIMIT_PACKETS);
        assertEquals(DelayControl.INITIAL_PACKETS, send(other, 1000));
    }

    @Test
    @DisplayName("packets without an answer for 50 ms block no other queue pair: it sends one, whose answer shows that they are gone")
    void aDeadQueuePairBlocksNoOther() {
        PeerSendWindow.Share dead = share("dead");
        PeerSendWindow.Share alive = share("alive");
        send(dead, LIMIT_PACKETS);
        assertEquals(0, send(alive, 1));
        assertEquals(nowNs + DelayControl.STALE_NS, alive.deadlineNs());
        nowNs += DelayControl.STALE_NS - 1;
        alive.settle(0, nowNs);
        assertEquals(List.of(), grants);
        nowNs++;
        alive.settle(0, nowNs);
        assertEquals(List.of("alive"), grants);
        assertEquals(1, send(alive, 1000));
        answer(alive);
        dead.settle(LIMIT_PACKETS, nowNs);
        assertEquals(List.of("alive", "alive"), grants);
        assertEquals(LIMIT_PACKETS, send(alive, 1000));
    }

    @Test
    @DisplayName("a queue pair whose probes are not answered either is ignored two round trips after its last packet, and its losses end")
    void probesDoNotHideThatNothingIsAnswered() {
        PeerSendWindow.Share dead = share("dead");
        PeerSendWindow.Share alive = share("alive");
        send(dead, LIMIT_PACKETS - 1);
        for (int probe = 0; probe < 2; probe++) {
            dead.onLost(1);
            dead.sent(1, MTU);
            send(alive, 1);
            nowNs += 20_000_000;
            alive.onSample(20_000_000, 0, true, nowNs);
            alive.onArrived(1, nowNs);
            alive.settle(0, nowNs);
        }
        nowNs++;
        dead.settle(LIMIT_PACKETS + 1, nowNs);
        assertTrue(dead.isIgnored());
        assertTrue(send(alive, 1000) > 1, "the dead one has room");
    }

    @Test
    @DisplayName("who got a longer grant, as for a READ with many responses, lets the others go first until they have had as much")
    void aLongGrantIsMadeUpFor() {
        send(a, LIMIT_PACKETS);
        assertFalse(b.claim(2 * GRANT_PACKETS + 1, nowNs));
        assertEquals(0, send(c, 1));
        a.settle(LIMIT_PACKETS - 2 * GRANT_PACKETS - 1, nowNs);
        assertEquals(List.of("b"), grants);
        b.sent(2 * GRANT_PACKETS + 1, (2 * GRANT_PACKETS + 1) * MTU);
        assertFalse(b.claim(2 * GRANT_PACKETS + 1, nowNs));
        for (int turn = 3; turn <= 6; turn++) {
            a.settle(Math.max(0, LIMIT_PACKETS - turn * GRANT_PACKETS - 1), nowNs);
            send(c, 1000);
        }
        assertEquals(List.of("b", "c", "c", "c"), grants);
    }

    private void answer(PeerSendWindow.Share share) {
        nowNs += 1_000;
        share.onSample(1_000, 0, true, nowNs);
        share.onArrived(1, nowNs);
        share.settle(0, nowNs);
        nowNs += 10_000;
    }

    @Test
    @DisplayName("a queue pair that the peer ignores sends one request for each expiry of a timer; from the fourth on these take no room")
    void oneThatIsIgnoredSendsOneAtATime() {
        PeerSendWindow.Share dead = share("dead");
        PeerSendWindow.Share alive = share("alive");
        send(dead, 8);
        send(alive, 1);
        answer(alive);
        for (int expiry = 1; expiry <= 6; expiry++) {
            dead.settle(0, nowNs);
            assertEquals(1, send(dead, 1000));
            dead.settle(1, nowNs);
            assertEquals(0, send(dead, 1000));
            assertEquals(expiry > 3 ? LIMIT_PACKETS : LIMIT_PACKETS - 1, send(alive, 1000));
            answer(alive);
        }
        dead.onArrived(1, nowNs);
        assertTrue(send(dead, 1000) > 1, "it is answered");
    }

    @Test
    @DisplayName("a peer that answers nothing for a second gets a packet of each that waits: the retries of all run out at the same time")
    void aDeadPeerIsFoundByAll() {
        List<PeerSendWindow.Share> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(share("d"));
        }
        int[] sent = new int[all.size()];
        for (int ms = 0; ms < 2_000; ms += 50, nowNs += 50_000_000) {
            for (int i = 0; i < sent.length; i++) {
                // What it has sent timed out.
                all.get(i).settle(0, nowNs);
                all.get(i).onLost(1);
                sent[i] += send(all.get(i), 1);
            }
        }
        assertTrue(Arrays.stream(sent).min().getAsInt() >= 8, () -> Arrays.toString(sent));
    }

    @Test
    @DisplayName("before the first answer, a silence writes off what is in flight once: many may wait, and the answers may still arrive")
    void oneSilenceWritesOffOnce() {
        List<PeerSendWindow.Share> all = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            all.add(peers.join(flow("10.0.0.3"), CongestionOptions.DELAY, MTU, () -> grants.add("other")).of(false));
            assertEquals(i == 0 ? DelayControl.INITIAL_PACKETS : 0, send(all.get(i), 1000));
        }
        nowNs += DelayControl.STALE_NS;
        Collections.reverse(all);
        all.forEach(share -> share.settle(0, nowNs));
        assertEquals(1, all.stream().mapToInt(share -> send(share, 1000)).sum());
    }

    @Test
    @DisplayName("what a queue pair sent that has left is no silence of the peer: others write off what is in flight")
    void whoHasLeftIsOwedNoAnswer() {
        List<PeerSendWindow.Share> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(peers.join(flow("10.0.0.3"), CongestionOptions.NONE, MTU, () -> grants.add("other")).of(false));
        }
        assertEquals(1, send(all.get(0), 1));
        all.get(0).leave();
        nowNs += 10_000_000_000L;
        assertEquals(LIMIT_PACKETS, send(all.get(1), 1000));
        assertEquals(0, send(all.get(2), 1));
        nowNs += DelayControl.STALE_NS;
        all.get(2).settle(0, nowNs);
        assertTrue(send(all.get(2), 1000) > GRANT_PACKETS);
    }

    /** A round trip of ten milliseconds, in which 32 packets arrive: at twice the window, 64, in ten milliseconds, a packet takes 78 us. */
    private void pace() {
        paced = far.join(FLOW, CongestionOptions.DELAY, MTU, () -> grants.add("paced")).of(false);
        assertEquals(DelayControl.INITIAL_PACKETS, send(paced, 1000));
        nowNs += 10_000_000;
        paced.onSample(10_000_000, 0, true, nowNs);
        paced.onArrived(DelayControl.INITIAL_PACKETS, nowNs);
        paced.settle(0, nowNs);
        paced.returnGrant();
        grants.clear();
    }

    @Test
    @DisplayName("on a long path batches are spaced: what leaves in a round trip is no more than the rate")
    void batchesAreSpaced() {
        pace();
        int sent = 0;
        for (int ms = 0; ms < 4; ms++) {
            for (int step = 0; step < 20; step++) {
                paced.settle(0, nowNs);
                int batch = send(paced, 1000);
                assertTrue(batch <= 16, batch + " packets at once");
                sent += batch;
                nowNs += 50_000;
            }
        }
        assertTrue(sent >= 44 && sent <= 68, sent + " packets in 4 ms; 51 are its share at the rate");
    }

    @Test
    @DisplayName("who waits for the next batch knows when it leaves, and gets a grant then")
    void theNextBatchHasADeadline() {
        pace();
        send(paced, 1000);
        long dueNs = paced.deadlineNs();
        assertTrue(dueNs > nowNs && dueNs <= nowNs + 2_000_000, (dueNs - nowNs) + " ns");
        assertFalse(paced.settle(0, dueNs - 1));
        assertTrue(paced.settle(0, dueNs));
        assertEquals(List.of("paced"), grants);
        nowNs = dueNs;
        assertTrue(send(paced, 1000) > 0);
    }

    @Test
    @DisplayName("when the first that waits for the next batch leaves, the second is scheduled to set its deadline")
    void theSecondTakesOverTheDeadline() {
        pace();
        PeerSendWindow.Share second = far.join(FLOW, CongestionOptions.DELAY, MTU, () -> grants.add("second")).of(false);
        send(paced, 1000);
        assertFalse(second.claim(1, nowNs));
        assertTrue(second.deadlineNs() > nowNs + 10_000_000, "it is not its turn");
        paced.leave();
        assertEquals(List.of("second"), grants);
        assertTrue(second.deadlineNs() <= nowNs + 2_000_000, "it is its turn");
    }

    @Test
    @DisplayName("who waited for room and then has to wait for the next batch is scheduled to set its deadline")
    void pacingThatBeginsWithoutAGrantIsTold() {
        PeerSendWindow.Share second = waitForRoom();
        assertFalse(paced.settle(WINDOW_PACKETS - GRANT_PACKETS, nowNs), "no batch leaves now");
        assertEquals(List.of("second"), grants);
        assertTrue(second.deadlineNs() <= nowNs + 5_000_000, "it waits for the next batch");
    }

    @Test
    @DisplayName("when the rate rises who waits for the next batch is scheduled to set a sooner deadline")
    void aSoonerBatchIsTold() {
        PeerSendWindow.Share second = waitForRoom();
        paced.settle(WINDOW_PACKETS - GRANT_PACKETS, nowNs);
        long laterNs = second.deadlineNs();
        grants.clear();
        nowNs += 3_000_000;
        paced.onSample(2_000_000, 0, true, nowNs);
        paced.onArrived(1, nowNs);
        paced.settle(WINDOW_PACKETS - GRANT_PACKETS - 1, nowNs);
        assertEquals(List.of("second"), grants);
        assertTrue(second.deadlineNs() - nowNs < (laterNs - nowNs) / 2, "a fifth of the round trip is five times the rate");
    }

    /** The paced queue pair fills the window. Another one waits for room. */
    private PeerSendWindow.Share waitForRoom() {
        pace();
        paced.sent(WINDOW_PACKETS, WINDOW_PACKETS * MTU);
        PeerSendWindow.Share second = far.join(FLOW, CongestionOptions.DELAY, MTU, () -> grants.add("second")).of(false);
        assertFalse(second.claim(1, nowNs));
        assertEquals(nowNs + DelayControl.STALE_NS, second.deadlineNs());
        return second;
    }
}
