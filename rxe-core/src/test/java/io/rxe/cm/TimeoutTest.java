package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.ActiveState;
import io.rxe.cm.exchange.CmCounters;
import io.rxe.cm.exchange.PassiveState;
import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmMra;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.verbs.QueuePairState;
import java.util.List;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** When messages are retransmitted, how often, and what happens after the last retry; to the nanosecond. */
class TimeoutTest {
    private static final long REQUEST_NS = 6144 * CmNetwork.MS;
    private static final long REPLY_NS = 4096 * CmNetwork.MS;
    private static final long EARLY_NS = 200 * CmNetwork.MS;

    private final CmPair pair = new CmPair();

    private List<Long> times(CmAttribute attribute) {
        return pair.network.sent(attribute).stream().map(CmNetwork.Sent::timeNs).toList();
    }

    /** Early retransmissions in the first interval, then one for each of fifteen. */
    private static List<Long> scheduleFrom(long firstNs, long intervalNs) {
        return LongStream.concat(LongStream.of(0, 200, 600, 1400, 3000).map(ms -> ms * CmNetwork.MS),
            LongStream.range(1, 16).map(i -> i * intervalNs)).mapToObj(ns -> firstNs + ns).toList();
    }

    @Test
    void reqIsSentTwentyTimesAndThenThePeerIsUnreachable() {
        pair.lose(CmAttribute.REQ);
        pair.connect();
        pair.network.run(16 * REQUEST_NS - 1);
        assertNull(pair.client.channel.poll());
        pair.network.run(1);
        CmEvent event = pair.client.take(CmEvent.Type.UNREACHABLE);
        assertEquals(scheduleFrom(0, REQUEST_NS), times(CmAttribute.REQ));
        assertEquals(CmEvent.TIMED_OUT, event.status());
        assertEquals("no answer from TCP port 7174 at 10.0.0.2 to 20 requests in 98.3 s: check that the host is up, that it has an RDMA"
            + " device with this address on UDP port 4791, and that no firewall stops that port", event.explanation());
        assertEquals(QueuePairState.ERROR, pair.clientPair.state());
        assertEquals(CmAttribute.REJ, pair.network.last().attribute(), "in case the peer is further in the handshake");
        assertEquals(RejectReason.TIMEOUT.code(), CmRej.REASON.get(pair.network.last().buffer(), 0));
        assertEquals(pair.client.gid.adapterGuid(), CmRej.informationGuid(pair.network.last().buffer(), 0));
        assertEquals(0, pair.client.core.exchanges());
        assertEquals(19, pair.client.service.counters().get(CmCounters.Kind.RETRIED, CmAttribute.REQ));
        assertEquals(20, pair.client.service.counters().get(CmCounters.Kind.SENT, CmAttribute.REQ));
    }

    @Test
    void aTimeoutThatEndsBeyondAllTimesIsNone() {
        pair.network.run(CmNetwork.SECOND);
        pair.loseAll();
        pair.connect(new ConnectParameters().timeoutNs(Long.MAX_VALUE - 1));
        pair.network.run(16 * REQUEST_NS - 1);
        assertEquals(scheduleFrom(CmNetwork.SECOND, REQUEST_NS), times(CmAttribute.REQ));
    }

    @Test
    void repIsRetransmittedUntilBothSidesFail() {
        pair.lose(CmAttribute.REP);
        pair.connect().requested().accept();
        long start = pair.network.nowNs;
        pair.network.run(16 * REPLY_NS - 1);
        assertNull(pair.server.channel.poll());
        pair.network.run(1);
        CmEvent event = pair.server.take(CmEvent.Type.UNREACHABLE);
        assertTrue(event.explanation().startsWith("no RTU from 10.0.0.1 to 19 REPs in 65.5 s"), event.explanation());
        List<Long> repTimes = times(CmAttribute.REP);
        assertEquals(start, repTimes.get(0));
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.TIMEOUT.code(), pair.client.take(CmEvent.Type.REJECTED).status());
        pair.network.run(5 * CmNetwork.SECOND);
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    void repIsRetransmittedOnItsOwnTimerIfThePeerIsSilent() {
        pair.connect().requested();
        pair.loseAll();
        pair.accept();
        long start = pair.network.nowNs;
        pair.network.run(17 * REPLY_NS);
        pair.server.take(CmEvent.Type.UNREACHABLE);
        assertEquals(LongStream.of(0, 1, 3, 7, 15).mapToObj(i -> start + i * REPLY_NS).toList(), times(CmAttribute.REP),
            "a peer that has confirmed nothing may be a forged address");
        assertEquals(QueuePairState.ERROR, pair.serverPair.state());
    }

    @Test
    void dreqIsSentTwentyTimesAndThenTheConnectionEnds() {
        CmPair connected = CmPair.connected();
        connected.loseAll();
        long start = connected.network.nowNs;
        connected.clientConnection.disconnect();
        connected.network.run(16 * REQUEST_NS);
        CmEvent event = connected.client.take(CmEvent.Type.DISCONNECTED);
        assertEquals(CmEvent.TIMED_OUT, event.status());
        assertTrue(event.explanation().startsWith("no answer from 10.0.0.2 to 20 disconnect requests in 98.3 s"), event.explanation());
        assertEquals(scheduleFrom(start, REQUEST_NS),
            connected.network.sent(CmAttribute.DREQ).stream().map(CmNetwork.Sent::timeNs).toList());
        connected.network.run(2048 * CmNetwork.MS - 1);
        assertNull(connected.client.channel.poll());
        connected.network.run(1);
        connected.client.take(CmEvent.Type.TIMEWAIT_EXIT);
        connected.serverConnection.disconnect();
        long serverStart = connected.network.nowNs;
        connected.network.run(16 * REPLY_NS);
        assertEquals(CmEvent.TIMED_OUT, connected.server.take(CmEvent.Type.DISCONNECTED).status());
        assertEquals(scheduleFrom(serverStart, REPLY_NS), connected.network.sent(CmAttribute.DREQ).stream()
            .filter(mad -> mad.source().equals(connected.server.gid)).map(CmNetwork.Sent::timeNs).toList());
    }

    @Test
    void sidrReqIsSentTwentyTimes() {
        pair.loseAll();
        pair.client.service.connector(pair.client.channel).resolve(pair.server.gid, 5, new ConnectParameters());
        pair.network.run(16 * REPLY_NS);
        CmEvent event = pair.client.take(CmEvent.Type.UNREACHABLE);
        assertTrue(event.explanation().startsWith("no answer from UDP port 5 at 10.0.0.2 to 20 requests in 65.5 s"),
            event.explanation());
        assertEquals(scheduleFrom(0, REPLY_NS), times(CmAttribute.SIDR_REQ));
        assertEquals(0, pair.client.core.exchanges());
    }

    @Test
    void theTimeoutOfTheApplicationEndsTheWaitExactly() {
        pair.loseAll();
        pair.connect(new ConnectParameters().timeoutNs(7 * CmNetwork.SECOND));
        pair.network.run(7 * CmNetwork.SECOND - 1);
        assertNull(pair.client.channel.poll());
        pair.network.run(1);
        CmEvent event = pair.client.take(CmEvent.Type.UNREACHABLE);
        assertTrue(event.explanation().contains("6 requests in 7.0 s"), event.explanation());
    }

    @Test
    void theRetriesOfTheReqHoldForTheRep() {
        CmNode client = pair.network.add(new CmNode(CmLimits.of("10.0.0.5").retries(2).config(), () -> 9));
        client.service.connector(client.channel).connect(client.queuePair(), pair.server.gid, CmPair.PORT, new ConnectParameters());
        pair.requested();
        pair.loseAll();
        pair.accept();
        pair.network.run(3 * REPLY_NS - 1);
        assertNull(pair.server.channel.poll());
        pair.network.run(1);
        pair.server.take(CmEvent.Type.UNREACHABLE);
        assertEquals(2, times(CmAttribute.REP).size());
    }

    @Test
    void aDuplicateReqIsAnsweredWithAnMra() {
        pair.connect().requested();
        pair.network.run(EARLY_NS + CmNetwork.LATENCY_NS);
        CmNetwork.Sent mra = pair.network.sent(CmAttribute.MRA).get(0);
        assertEquals(CmAttribute.MRA, mra.attribute());
        assertEquals(AnsweredMessage.REQ, AnsweredMessage.of(CmMra.MESSAGE.get(mra.buffer(), 0)));
        assertEquals(24, CmMra.SERVICE_TIMEOUT.get(mra.buffer(), 0));
        assertEquals(ActiveState.MRA_RECEIVED, pair.active().state());
        assertEquals(PassiveState.MRA_SENT, pair.passive().state());
        assertNull(pair.server.channel.poll(), "one request, one event");
        pair.network.run(60 * CmNetwork.SECOND);
        assertEquals(2, pair.network.sent(CmAttribute.REQ).size(), "no retransmission during the service timeout");
        pair.accept().established();
    }

    @Test
    void reqIsRetransmittedAfterTheServiceTimeout() {
        pair.connect().requested();
        pair.network.run(EARLY_NS + CmNetwork.LATENCY_NS);
        long mraNs = pair.network.nowNs;
        pair.network.run(65_536 * CmNetwork.MS + REQUEST_NS);
        List<Long> requests = times(CmAttribute.REQ);
        assertEquals(3, requests.size());
        assertEquals(mraNs + 65_536 * CmNetwork.MS + REQUEST_NS, requests.get(2));
    }

    @Test
    void aDuplicateRepIsAnsweredWithAnMra() {
        pair.connect().requested().accept();
        pair.network.run(REPLY_NS + 2 * CmNetwork.LATENCY_NS);
        assertEquals(ActiveState.REP_RECEIVED, pair.active().state(), "the application has not taken the event");
        assertEquals(PassiveState.MRA_RECEIVED, pair.passive().state());
        pair.network.run(60 * CmNetwork.SECOND);
        assertEquals(2, times(CmAttribute.REP).size());
        pair.established();
    }

    @Test
    void anUndecidedRequestEndsAfterThePeerGaveUp() {
        pair.connect().requested();
        pair.loseAll();
        pair.network.run(16 * REQUEST_NS);
        pair.client.take(CmEvent.Type.UNREACHABLE);
        CmEvent event = pair.server.take(CmEvent.Type.UNREACHABLE);
        assertTrue(event.explanation().contains("neither accepted nor rejected"), event.explanation());
        assertEquals(0, pair.server.core.exchanges());
        pair.accept();
        pair.network.run(CmNetwork.SECOND);
        assertNull(pair.server.channel.poll(), "an accept after the timeout has no effect");
    }

    @Test
    void aRejFindsTheExchangeByThePeersIdIfThePeerNeverReceivedOurs() {
        pair.connect();
        pair.lose(CmAttribute.MRA);
        pair.requested();
        pair.network.run(16 * REQUEST_NS + CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.UNREACHABLE);
        assertEquals(RejectReason.TIMEOUT.code(), pair.server.take(CmEvent.Type.REJECTED).status());
        assertEquals(PassiveState.FAILED, pair.passive().state());
    }

    @Test
    void aLostRtuEndsTheConnectionOnBothSidesWhenTheRetriesAreUsedUp() {
        pair.connect().requested().accept();
        pair.lose(CmAttribute.RTU);
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
        pair.network.run(17 * REPLY_NS);
        pair.server.take(CmEvent.Type.UNREACHABLE);
        CmEvent ended = pair.client.take(CmEvent.Type.DISCONNECTED);
        assertTrue(ended.explanation().contains("REJ 4, timeout"), ended.explanation());
        assertEquals(5, times(CmAttribute.RTU).size(), "one per REP");
    }

    @Test
    void aPeerWithAConnectionGetsAllRetransmissionsOfTheRep() {
        CmPair connected = CmPair.connected();
        connected.connect().requested();
        connected.loseAll();
        long start = connected.network.nowNs;
        connected.accept();
        connected.network.run(16 * REPLY_NS);
        connected.server.take(CmEvent.Type.UNREACHABLE);
        assertEquals(scheduleFrom(start, REPLY_NS),
            connected.network.sent(CmAttribute.REP).stream().map(CmNetwork.Sent::timeNs).skip(1).toList());
    }

    @Test
    void anMraConfirmsThePeer() {
        pair.connect().requested();
        pair.loseAll();
        pair.accept();
        pair.network.settle();
        UnsafeBuffer rep = pair.network.last().buffer();
        UnsafeBuffer mra = Forged.message(CmAttribute.MRA, MadHeader.TRANSACTION_ID.get(rep, 0), CommunicationIds.REMOTE.get(rep, 0),
            CommunicationIds.LOCAL.get(rep, 0));
        CmMra.MESSAGE.set(mra, 0, AnsweredMessage.REP.code());
        pair.network.inject(pair.client.gid, pair.server.gid, mra.byteArray());
        pair.network.run(17 * REPLY_NS);
        assertEquals(16, times(CmAttribute.REP).size());
    }
}
