package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.mad.CmAttribute;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * One fault at each message of a whole conversation, on either side: whichever message is lost, doubled or late, both applications see
 * the same events as without it, and nothing stays behind.
 */
class SingleFaultTest {
    private static final List<CmEvent.Type> CLIENT_EVENTS =
        List.of(CmEvent.Type.ESTABLISHED, CmEvent.Type.DISCONNECTED, CmEvent.Type.TIMEWAIT_EXIT);
    private static final List<CmEvent.Type> SERVER_EVENTS = List.of(CmEvent.Type.CONNECT_REQUEST, CmEvent.Type.ESTABLISHED,
        CmEvent.Type.DISCONNECTED, CmEvent.Type.TIMEWAIT_EXIT);
    private static final int MESSAGES = 5;
    private static final long MS = CmNetwork.MS;

    private enum Ender { CLIENT, SERVER }

    /** A conversation in which message {@code faulty} arrives after the delays given, all others after a millisecond. */
    private static CmPair converse(int faulty, Ender ender, long... delays) {
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
                (ender == Ender.CLIENT ? pair.clientConnection : pair.serverConnection).disconnect();
            }
        }
        return pair;
    }

    private static void check(CmPair pair, String what) {
        assertEquals(CLIENT_EVENTS, pair.client.types(), what);
        assertEquals(SERVER_EVENTS, pair.server.types(), what);
        assertEquals(0, pair.client.core.dialogues(), what);
        assertEquals(0, pair.server.core.dialogues(), what);
    }

    @Test
    void withoutFaultTheConversationHasFiveMessages() {
        for (Ender ender : Ender.values()) {
            CmPair pair = converse(-1, ender);
            check(pair, "no fault");
            assertEquals(List.of(CmAttribute.REQ, CmAttribute.REP, CmAttribute.RTU, CmAttribute.DREQ, CmAttribute.DREP),
                pair.network.attributes());
        }
    }

    @Test
    void anyMessageMayBeLost() {
        for (Ender ender : Ender.values()) {
            for (int message = 0; message < MESSAGES; message++) {
                CmPair pair = converse(message, ender);
                check(pair, "lost " + message + ", ended by " + ender);
                assertTrue(pair.network.sent.size() > MESSAGES, "lost " + message);
            }
        }
    }

    @Test
    void anyMessageMayComeTwice() {
        for (Ender ender : Ender.values()) {
            for (int message = 0; message < MESSAGES; message++) {
                for (long second : new long[] {MS, MS + 1, 2 * MS, 3 * MS, 1000 * MS}) {
                    check(converse(message, ender, MS, second), "twice " + message + " after " + second + ", ended by " + ender);
                }
            }
        }
    }

    @Test
    void anyMessageMayBeLate() {
        for (Ender ender : Ender.values()) {
            for (int message = 0; message < MESSAGES; message++) {
                for (long delay : new long[] {10 * MS, 4000 * MS, 4096 * MS, 4097 * MS, 6144 * MS, 6200 * MS}) {
                    check(converse(message, ender, delay), "late " + message + " by " + delay + ", ended by " + ender);
                }
            }
        }
    }

    /** The kernel's CM reports DISCONNECTED alone then; with ESTABLISHED before it every application sees a whole connection. */
    @Test
    void aDisconnectThatOvertakesTheReadyMessageEstablishesFirst() {
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
    void aRejectionThatWasLostIsRepeatedWithoutAskingTheApplicationAgain() {
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

    /** After the time-wait a REQ cannot be told from a new one: the server is asked again, and its REP is refused. */
    @Test
    void aMessageFromLongAgoLeavesNothingBehind() {
        for (Ender ender : Ender.values()) {
            for (int message = 0; message < MESSAGES; message++) {
                CmPair pair = converse(message, ender, MS, 60_000 * MS);
                assertEquals(CLIENT_EVENTS, pair.client.types(), "message " + message);
                assertEquals(SERVER_EVENTS, pair.server.types().subList(0, 4), "message " + message);
                List<CmEvent.Type> later = pair.server.types().subList(4, pair.server.types().size());
                assertEquals(message == 0 ? List.of(CmEvent.Type.CONNECT_REQUEST, CmEvent.Type.REJECTED) : List.of(), later);
                assertEquals(0, pair.client.core.dialogues());
                assertEquals(0, pair.server.core.dialogues());
            }
        }
    }
}
