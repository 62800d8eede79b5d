package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What all queue pairs together may have under way to one peer")
class PeerWindowTest {
    private static final int MTU = 4096 - PeerWindow.PACKET_BYTES;
    private static final int TURN_PACKETS = PeerWindow.TURN_BYTES / 4096;
    /** Room for two turns. */
    private static final int LIMIT_PACKETS = 2 * TURN_PACKETS;
    private static final Flow FLOW = flow("10.0.0.2");

    private final PeerWindow.Peers peers = new PeerWindow.Peers(2 * PeerWindow.TURN_BYTES);
    private final List<String> turns = new ArrayList<>();
    private final PeerWindow.Share a = share("a");
    private final PeerWindow.Share b = share("b");
    private final PeerWindow.Share c = share("c");
    private long nowNs = 1;

    private PeerWindow.Share share(String name) {
        return peers.join(FLOW, MTU, () -> turns.add(name));
    }

    private static Flow flow(String peer) {
        return new Flow(Gid.parse("10.0.0.1"), Gid.parse(peer), 4791, 4791);
    }

    /** Sends as much as it may, at most so many packets. */
    private int send(PeerWindow.Share share, int atMost) {
        int sent = 0;
        while (sent < atMost && share.claim(nowNs)) {
            share.sent(1, MTU);
            sent++;
        }
        return sent;
    }

    @Test
    @DisplayName("while there is room nobody waits; at the limit everybody does")
    void theLimitHolds() {
        assertEquals(40, send(a, 40));
        assertEquals(LIMIT_PACKETS - 40, send(b, 1000));
        assertEquals(0, send(a, 1));
        assertEquals(List.of(), turns);
    }

    @Test
    @DisplayName("who waits has its turn in the order of asking, and then waits behind the others")
    void turnsGoRound() {
        assertEquals(LIMIT_PACKETS, send(a, LIMIT_PACKETS));
        assertEquals(0, send(b, 1));
        assertEquals(0, send(c, 1));
        a.settle(TURN_PACKETS, nowNs);
        assertEquals(List.of("b"), turns);
        assertEquals(TURN_PACKETS, send(b, 1000));
        assertEquals(List.of("b"), turns);
        a.settle(0, nowNs);
        assertEquals(List.of("b", "c"), turns);
        assertEquals(0, send(a, 1), "a turn that was given is nobody else's");
        assertEquals(TURN_PACKETS, send(c, 1000));
        b.settle(0, nowNs);
        assertEquals(List.of("b", "c", "b"), turns);
    }

    @Test
    @DisplayName("what is left of a turn goes to the next")
    void anUnusedTurnIsPassedOn() {
        send(a, LIMIT_PACKETS);
        send(b, 1);
        send(c, 1);
        a.settle(TURN_PACKETS, nowNs);
        b.endTurn();
        assertEquals(List.of("b", "c"), turns);
        assertFalse(a.claim(nowNs));
    }

    @Test
    @DisplayName("the last packet before a wait is known, so that it can ask for an answer")
    void theLastPacketIsKnown() {
        send(a, LIMIT_PACKETS - 2);
        assertFalse(a.isLast());
        send(a, 1);
        assertTrue(a.isLast());
    }

    @Test
    @DisplayName("small packets take little room, and what is answered is taken for the mean of all")
    void bytesCount() {
        a.sent(64, 0);
        a.sent(LIMIT_PACKETS - 9, (LIMIT_PACKETS - 9) * MTU);
        assertTrue(a.claim(nowNs), "64 packets of 512 bytes take the place of 8 full ones");
        a.sent(1, 0);
        assertFalse(a.claim(nowNs), "a full packet no longer fits");
        a.settle((64 + LIMIT_PACKETS - 9 + 1) / 2, nowNs);
        assertEquals(List.of("a"), turns, "half of the room is free");
        assertEquals(TURN_PACKETS, send(a, 1000));
    }

    @Test
    @DisplayName("who leaves gives back what it had, and waits no more")
    void leavingGivesBack() {
        send(a, LIMIT_PACKETS);
        send(b, 1);
        send(c, 1);
        b.leave();
        a.leave();
        a.leave();
        assertEquals(List.of("c"), turns);
        assertEquals(1, peers.size());
        c.leave();
        assertEquals(0, peers.size());
    }

    @Test
    @DisplayName("peers have a window each")
    void peersDoNotMeet() {
        PeerWindow.Share other = peers.join(flow("10.0.0.3"), MTU, () -> turns.add("other"));
        send(a, LIMIT_PACKETS);
        assertEquals(LIMIT_PACKETS, send(other, 1000));
    }

    @Test
    @DisplayName("what nobody answers for long holds nobody up")
    void theDeadHoldNobodyUp() {
        PeerWindow.Share dead = share("dead");
        PeerWindow.Share alive = share("alive");
        send(dead, LIMIT_PACKETS);
        assertEquals(0, send(alive, 1));
        assertEquals(nowNs + PeerWindow.STALE_NS, alive.deadlineNs());
        nowNs += PeerWindow.STALE_NS - 1;
        alive.settle(0, nowNs);
        assertEquals(List.of(), turns);
        nowNs++;
        alive.settle(0, nowNs);
        assertEquals(List.of("alive"), turns);
        assertEquals(TURN_PACKETS, send(alive, TURN_PACKETS));
        assertEquals(Long.MAX_VALUE, alive.deadlineNs());
        // The answers may come after all: they are not counted twice.
        dead.settle(0, nowNs);
        alive.settle(0, nowNs);
        assertEquals(LIMIT_PACKETS, send(dead, 1000));
    }
}
