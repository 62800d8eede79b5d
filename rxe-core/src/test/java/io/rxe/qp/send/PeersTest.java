package io.rxe.qp.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import io.rxe.verbs.CongestionOptions;
import io.rxe.wire.Gid;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The windows of the peers of an engine, which its queue pairs join and leave. */
public class PeersTest {
    private static final int MTU = 4096 - PeerSendWindow.PACKET_BYTES;
    private static final int LIMIT_PACKETS = 64;
    private static final Flow FLOW = new Flow(Gid.parse("10.0.0.1"), Gid.parse("10.0.0.2"), 4791, 4791);

    private final Peers peers = new Peers(LIMIT_PACKETS * 4096, LIMIT_PACKETS * 4096);
    private long nowNs = 1;

    private PeerShares join(CongestionOptions congestion) {
        return peers.join(FLOW, congestion, MTU, () -> { });
    }

    /** Sends packets, or asks for responses, until the limit or the window is reached. Returns their number. */
    private int send(PeerShares shares, boolean isRead, int atMost) {
        int sent = 0;
        while (sent < atMost && shares.claim(isRead, 1, nowNs)) {
            shares.of(isRead).sent(1, MTU);
            sent++;
        }
        return sent;
    }

    @Test
    @DisplayName("queue pairs with equal options share a window, others to the same peer have one of their own; who leaves twice left once")
    void eachControllerHasAWindow() {
        PeerShares none = join(CongestionOptions.NONE);
        PeerShares again = join(CongestionOptions.NONE);
        PeerShares dcqcn = join(CongestionOptions.parse("dcqcn,rpg_ai_rate=10mbit"));
        join(CongestionOptions.parse("dcqcn,rpg_ai_rate=10000kbit"));
        join(CongestionOptions.DCQCN);
        assertEquals(3, peers.size());
        assertEquals(LIMIT_PACKETS, send(none, false, 1000));
        assertEquals(0, send(again, false, 1));
        assertEquals(LIMIT_PACKETS, send(dcqcn, false, 1000));
        assertTrue(dcqcn.of(false).onNotified(nowNs));
        assertFalse(none.of(false).onNotified(nowNs));
        none.leave();
        none.leave();
        assertEquals(3, peers.size());
        again.leave();
        assertEquals(2, peers.size());
    }

    @Test
    @DisplayName("READ responses have a window of their own: they flow the other way")
    void eachDirectionHasAWindow() {
        PeerShares a = join(CongestionOptions.NONE);
        PeerShares b = join(CongestionOptions.NONE);
        assertEquals(LIMIT_PACKETS, send(a, false, LIMIT_PACKETS));
        assertEquals(0, send(b, false, 1));
        assertTrue(a.of(false).doOthersWait());
        assertEquals(LIMIT_PACKETS, send(b, true, LIMIT_PACKETS));
        assertEquals(0, send(a, true, 1));
        assertTrue(b.of(true).doOthersWait());
        a.settle(LIMIT_PACKETS / 2, 0, nowNs);
        assertEquals(LIMIT_PACKETS / 2, send(b, false, 1000));
        assertEquals(0, send(a, true, 1));
    }

    @Test
    @DisplayName("who waits for room in one direction leaves a grant in the other to those who wait there")
    void aGrantIsPassedOn() {
        PeerShares a = join(CongestionOptions.NONE);
        PeerShares b = join(CongestionOptions.NONE);
        PeerShares c = join(CongestionOptions.NONE);
        send(a, false, LIMIT_PACKETS);
        send(c, true, LIMIT_PACKETS);
        send(b, false, 1);
        send(c, false, 1);
        assertTrue(a.settle(0, 0, nowNs));
        assertEquals(0, send(b, true, 1));
        assertEquals(LIMIT_PACKETS, send(c, false, 1000));
    }

    @Test
    @DisplayName("an answer to a request and one to a READ both show that the peer is alive, and how long the path is")
    void answersCountForBoth() {
        PeerShares a = join(CongestionOptions.DELAY);
        PeerShares b = join(CongestionOptions.DELAY);
        send(a, true, 1);
        nowNs = 1_000_000;
        a.of(true).onReadSample(500_000, 0, 0, 0, true, nowNs);
        a.of(true).onArrived(1, nowNs);
        assertEquals(500_000, b.of(false).roundTripNs());
        assertTrue(b.of(false).hasArrivedSince(nowNs - 1));
    }

    @Test
    @DisplayName("a WRITE waits for the READ before it: while responses to that arrive, the peer does not ignore the queue pair")
    void responsesAnswerARequestBehindThem() {
        PeerShares a = join(CongestionOptions.NONE);
        PeerShares b = join(CongestionOptions.NONE);
        send(a, false, LIMIT_PACKETS);
        send(a, true, 2);
        for (int i = 0; i < 2; i++) {
            nowNs += 4_000;
            a.onArrived(true, 1, nowNs);
            send(b, true, 1);
            nowNs += 1_000;
            b.of(true).onSample(1_000, 0, true, nowNs);
            b.onArrived(true, 1, nowNs);
            a.settle(LIMIT_PACKETS, 1 - i, nowNs);
        }
        assertEquals(0, send(b, false, 1), "what it has in flight counts");
        nowNs += 4_000;
        send(b, true, 1);
        b.of(true).onSample(1_000, 0, true, nowNs);
        a.settle(LIMIT_PACKETS, 0, nowNs);
        assertEquals(LIMIT_PACKETS, send(b, false, 1000), "nothing of it counts any more");
    }
}
