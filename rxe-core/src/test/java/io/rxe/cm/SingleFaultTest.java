package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.mad.CmAttribute;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * One fault at each message of a connection, on either side: whichever message is lost, duplicated or late, both applications receive
 * the same events as without the fault, and no exchange remains.
 */
class SingleFaultTest {
    private static final List<CmEvent.Type> CLIENT_EVENTS =
        List.of(CmEvent.Type.ESTABLISHED, CmEvent.Type.DISCONNECTED, CmEvent.Type.TIMEWAIT_EXIT);
    private static final List<CmEvent.Type> SERVER_EVENTS = List.of(CmEvent.Type.CONNECT_REQUEST, CmEvent.Type.ESTABLISHED,
        CmEvent.Type.DISCONNECTED, CmEvent.Type.TIMEWAIT_EXIT);
    private static final int MESSAGES = 5;
    private static final long MS = CmNetwork.MS;

    private enum Side { CLIENT, SERVER }

    /** A connection in which message {@code faulty} arrives after the given delays, every other after a millisecond. */
    private static CmPair connectAndDisconnect(int faulty, Side side, long... delays) {
        CmPair pair = new CmPair();
        pair.network.faults = mad -> mad.index() == faulty ? delays : new long[] {CmNetwork.LATENCY_NS};
        pair.connect();
        boolean[] ended = new boolean[1];
        while (pair.network.step()) {
            for (CmEvent event : pair.server.takeAll()) {
                if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
                    pair.serverConnection = event.connection();
                    pair.accept();
                }
            }
            pair.client.takeAll();
            boolean both = pair.client.types().contains(CmEvent.Type.ESTABLISHED)
                && pair.server.types().contains(CmEvent.Type.ESTABLISHED);
            if (both && !ended[0]) {
                ended[0] = true;
                (side == Side.CLIENT ? pair.clientConnection : pair.serverConnection).disconnect();
            }
        }
        return pair;
    }

    private static void check(CmPair pair, String what) {
        assertEquals(CLIENT_EVENTS, pair.client.types(), what);
        assertEquals(SERVER_EVENTS, pair.server.types(), what);
        assertEquals(0, pair.client.core.exchanges(), what);
        assertEquals(0, pair.server.core.exchanges(), what);
    }

    @Test
    void withoutFaultThereAreFiveMessages() {
        for (Side side : Side.values()) {
            CmPair pair = connectAndDisconnect(-1, side);
            check(pair, "no fault");
            assertEquals(List.of(CmAttribute.REQ, CmAttribute.REP, CmAttribute.RTU, CmAttribute.DREQ, CmAttribute.DREP),
                pair.network.attributes());
        }
    }

    @Test
    void anyMessageMayBeLost() {
        for (Side side : Side.values()) {
            for (int message = 0; message < MESSAGES; message++) {
                CmPair pair = connectAndDisconnect(message, side);
                check(pair, "lost " + message + ", ended by " + side);
                assertTrue(pair.network.sent.size() > MESSAGES, "lost " + message);
            }
        }
    }

    @Test
    void anyMessageMayBeDuplicated() {
        for (Side side : Side.values()) {
            for (int message = 0; message < MESSAGES; message++) {
                for (long second : new long[] {MS, MS + 1, 2 * MS, 3 * MS, 1000 * MS}) {
                    check(connectAndDisconnect(message, side, MS, second), "twice " + message + " after " + second + ", ended by " + side);
                }
            }
        }
    }

    @Test
    void anyMessageMayBeLate() {
        for (Side side : Side.values()) {
            for (int message = 0; message < MESSAGES; message++) {
                for (long delay : new long[] {10 * MS, 200 * MS, 1000 * MS, 4000 * MS, 4096 * MS, 4097 * MS, 6144 * MS, 6200 * MS}) {
                    if (message == 0 && delay >= 4000 * MS) {
                        // The connection of its retransmission is over, time-wait included: see the next test.
                        continue;
                    }
                    check(connectAndDisconnect(message, side, delay), "late " + message + " by " + delay + ", ended by " + side);
                }
            }
        }
    }

    @Test
    @DisplayName("a REQ that is later than its whole connection is a new request, which its sender rejects")
    void aReqLaterThanItsConnection() {
        CmPair pair = connectAndDisconnect(0, Side.CLIENT, 4000 * MS);
        assertEquals(CLIENT_EVENTS, pair.client.types());
        List<CmEvent.Type> expected = new ArrayList<>(SERVER_EVENTS);
        expected.addAll(List.of(CmEvent.Type.CONNECT_REQUEST, CmEvent.Type.REJECTED));
        assertEquals(expected, pair.server.types());
        assertEquals(0, pair.server.core.exchanges());
    }

    /** Linux reports only DISCONNECTED here. We report ESTABLISHED first, so that applications receive the same events as always. */
    @Test
    void aDreqThatOvertakesTheRtuEstablishesFirst() {
        for (long delay : new long[] {10 * MS, 5000 * MS}) {
            CmPair pair = new CmPair();
            pair.network.faults = mad -> new long[] {mad.attribute() == CmAttribute.RTU ? delay : MS};
            pair.connect().requested().accept();
            pair.network.run(MS);
            pair.client.take(CmEvent.Type.ESTABLISHED);
            pair.clientConnection.disconnect();
            while (pair.network.step()) {
                pair.client.takeAll();
                pair.server.takeAll();
            }
            check(pair, "RTU late by " + delay);
        }
    }

    @Test
    void aLostRejIsRetransmittedWithoutASecondEvent() {
        CmPair pair = new CmPair();
        pair.network.faults = mad -> mad.index() == 1 ? new long[0] : new long[] {MS};
        pair.connect().requested();
        pair.serverConnection.reject(new byte[] {7});
        pair.network.run(6144 * MS + 2 * MS);
        CmEvent rejected = pair.client.take(CmEvent.Type.REJECTED);
        assertEquals(7, rejected.privateData()[0]);
        assertTrue(pair.server.takeAll().isEmpty());
        assertEquals(2, pair.network.sent(CmAttribute.REJ).size());
    }

    /** After the time-wait a duplicate REQ looks like a new one: the server reports it again, and the client rejects the REP. */
    @Test
    void aDuplicateAfterTheTimeWaitLeavesNoExchange() {
        for (Side side : Side.values()) {
            for (int message = 0; message < MESSAGES; message++) {
                CmPair pair = connectAndDisconnect(message, side, MS, 60_000 * MS);
                assertEquals(CLIENT_EVENTS, pair.client.types(), "message " + message);
                assertEquals(SERVER_EVENTS, pair.server.types().subList(0, 4), "message " + message);
                List<CmEvent.Type> later = pair.server.types().subList(4, pair.server.types().size());
                assertEquals(message == 0 ? List.of(CmEvent.Type.CONNECT_REQUEST, CmEvent.Type.REJECTED) : List.of(), later);
                assertEquals(0, pair.client.core.exchanges());
                assertEquals(0, pair.server.core.exchanges());
            }
        }
    }
}
