package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.readFirst;
import static io.rxe.qp.PeerPacket.readLast;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.qp.Trace.FROM_PEER;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.Drops;
import io.rxe.counters.NicCounter;
import io.rxe.port.EcnOptions;
import io.rxe.port.Flow;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Ecn;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderField;
import io.rxe.wire.Opcode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Marks by routers (ECN CE), and the congestion notifications (CNPs) they cause. */
public class CongestionNotificationTest {
    private static final Flow MARKED = FROM_PEER.withTrafficClass(Ecn.CONGESTION_EXPERIENCED);
    private static final long INTERVAL_NS = NotificationPoint.INTERVAL_NS;

    private static TraceSetup notifying() {
        return Trace.inRts().ecn(EcnOptions.ON);
    }

    private static Trace openKnown(TraceSetup setup) {
        return setup.open().sends(FROM_PEER, writeOnly(0x100, 8).marked());
    }

    private static PeerPacket write(int psn) {
        return writeOnly(psn, 8).marked();
    }

    private static PeerPacket cnp() {
        return PeerPacket.of(Opcode.CNP, 0, 0).change(buffer -> Bth.notifyBackward(buffer, 0));
    }

    private static void expectNotification(Trace trace) {
        SentFrame frame = trace.next();
        assertEquals(Opcode.CNP, frame.opcode());
        assertEquals(0, frame.psn());
        assertTrue(Bth.isBecn(frame.buffer(), 0));
        assertEquals(32, frame.bytes().length);
        for (int at = Bth.LENGTH; at < 28; at++) {
            assertEquals(0, frame.bytes()[at], "reserved byte " + at);
        }
        assertEquals(48 << 2, frame.flow().trafficClass());
    }

    @Test
    @DisplayName("a marked packet of an rxe is notified at once, with a CNP as adapters send it, before the acknowledgement")
    void aMarkIsNotified() {
        Trace trace = openKnown(notifying());
        trace.sends(MARKED, write(0x101).ackReq());
        expectNotification(trace);
        trace.expect(ack(0x101)).expectNothing();
        assertEquals(1, trace.counter(NicCounter.NP_ECN_MARKED_ROCE_PACKETS));
        assertEquals(1, trace.counter(NicCounter.NP_CNP_SENT));
    }

    @Test
    @DisplayName("at most one CNP each 50 us, whatever is marked")
    void notificationsAreRare() {
        Trace trace = openKnown(notifying());
        for (int i = 0; i < 1000; i++) {
            trace.sends(MARKED, write(0x101 + i));
            trace.advanceNs(1000);
        }
        assertEquals(1000, trace.counter(NicCounter.NP_ECN_MARKED_ROCE_PACKETS));
        assertEquals(1_000_000 / INTERVAL_NS, trace.counter(NicCounter.NP_CNP_SENT));
    }

    @Test
    @DisplayName("without a mark there is no CNP, nor later for marks that another one has answered")
    void noMarkNoNotification() {
        Trace trace = openKnown(notifying());
        trace.sends(MARKED, write(0x101)).sends(MARKED, write(0x102));
        expectNotification(trace);
        trace.advance(1, TimeUnit.MILLISECONDS).peerSends(write(0x103)).expectNothing();
    }

    @Test
    @DisplayName("K8 a peer that is not known as an rxe gets no CNP, also when it forges the mark behind a gap")
    void anUnknownPeerIsNotNotified() {
        Trace trace = notifying().open();
        trace.sends(MARKED, writeOnly(0x100, 8)).expectNothing();
        trace.sends(MARKED, write(0x102));
        assertTrue(trace.takeAll().stream().noneMatch(frame -> frame.opcode() == Opcode.CNP));
        assertEquals(2, trace.counter(NicCounter.NP_ECN_MARKED_ROCE_PACKETS));
        assertEquals(0, trace.counter(NicCounter.NP_CNP_SENT));
    }

    @Test
    @DisplayName("bad input: a mark where ECN is off is counted and not answered")
    void whereEcnIsOffAMarkIsCounted() {
        Trace trace = openKnown(Trace.inRts());
        trace.sends(MARKED, write(0x101).ackReq()).expect(ack(0x101));
        trace.advance(1, TimeUnit.MILLISECONDS).sends(MARKED, write(0x102)).expectNothing();
        assertEquals(2, trace.counter(NicCounter.NP_ECN_MARKED_ROCE_PACKETS));
        assertEquals(0, trace.counter(NicCounter.NP_CNP_SENT));
        assertEquals(0, Drops.of(trace.engine.counters()));
    }

    @Test
    @DisplayName("bad input: a mark on what was never ECT, an ACK or a READ request of an rxe, is counted and not answered")
    void aMarkWithoutDataIsCounted() {
        Trace trace = openKnown(notifying());
        trace.posts(send(8)).takeAll();
        trace.sends(MARKED, ackOf(0x100).marked()).expectNothing();
        trace.sends(MARKED, PeerPacket.read(0x101, 8).marked());
        assertEquals(List.of(Opcode.RC_RDMA_READ_RESPONSE_ONLY), trace.takeAll().stream().map(SentFrame::opcode).toList());
        assertEquals(2, trace.counter(NicCounter.NP_ECN_MARKED_ROCE_PACKETS));
        assertEquals(0, trace.counter(NicCounter.NP_CNP_SENT));
    }

    @Test
    @DisplayName("an adapter is notified where every peer is to be")
    void everyPeerIsNotified() {
        Trace trace = Trace.inRts().hostilePeer().ecn(new EcnOptions(true, true, true, 48)).open();
        trace.sends(MARKED, writeOnly(0x100, 8));
        expectNotification(trace);
        trace.expectNothing();
    }

    @Test
    @DisplayName("marked READ responses are notified by a requester which cannot slow them itself: its own ECN is off")
    void aReaderNotifies() {
        Trace trace = Trace.inRts().ecn(new EcnOptions(false, true, false, 48)).open();
        trace.posts(send(8), read(2048)).takeAll();
        trace.peerSends(ackOf(0x100).marked());
        trace.sends(MARKED, readFirst(0x101, 1024).marked());
        expectNotification(trace);
        trace.peerSends(readLast(0x102, 1024).marked()).expectNothing();
    }

    @Test
    @DisplayName("a full sink keeps the CNP, and the next poll sends it")
    void aFullSinkKeepsTheNotification() {
        Trace trace = openKnown(notifying());
        trace.sink.room(0);
        trace.arrives(MARKED, write(0x101)).engine.poll(trace.nowNs(), trace.sink);
        trace.expectNothing();
        trace.sink.room(Long.MAX_VALUE);
        trace.run();
        expectNotification(trace);
    }

    @Test
    @DisplayName("with the connection ends what was due")
    void aResetForgetsTheNotification() {
        Trace trace = openKnown(notifying());
        trace.sink.room(0);
        trace.arrives(MARKED, write(0x101)).engine.poll(trace.nowNs(), trace.sink);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.sink.room(Long.MAX_VALUE);
        trace.run().expectNothing();
    }

    @Test
    @DisplayName("what carries data is ECT(0) with the class of its queue pair, and nothing else, where that is asked for")
    void dataMayBeMarked() {
        Trace trace = Trace.inRts().ecn(EcnOptions.ON).open();
        trace.posts(send(2048), read(8));
        trace.peerSends(PeerPacket.read(0x100, 1024), writeOnly(0x101, 8).ackReq());
        for (SentFrame frame : trace.takeAll()) {
            assertEquals(frame.opcode().hasPayload() ? Ecn.CAPABLE : 0, frame.flow().trafficClass(), frame.toString());
        }
        trace = Trace.inRts().open();
        trace.posts(send(2048)).takeAll().forEach(frame -> assertEquals(0, frame.flow().trafficClass()));
    }

    @Test
    @DisplayName("each queue pair on a path has the DSCP of its own address vector, whatever the bits of ECN and whoever sent before it")
    void eachQueuePairKeepsItsClass() {
        Trace trace = notifying().open();
        QueuePair second = trace.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, trace.completionQueue, trace.completionQueue));
        second.modify(QueuePairAttributes.toInit(AccessFlags.ALL));
        second.modify(QueuePairAttributes.toReadyToReceive(new AddressVector(Trace.PEER_GID, 4791, 0xB8, 64), PathMtu.MTU_1024,
            Trace.PEER_QPN, 0x100));
        second.modify(trace.toRts());
        for (int round = 0; round < 3; round++) {
            trace.posts(send(8));
            second.postSend(Trace.write(8));
            trace.run();
        }
        for (SentFrame frame : trace.takeAll()) {
            int dscp = frame.opcode() == Opcode.RC_SEND_ONLY ? 0 : 0xB8;
            assertEquals(dscp | Ecn.CAPABLE, frame.flow().trafficClass(), frame.toString());
        }
    }

    @Test
    @DisplayName("while requests wait for the next batch, an ACK, a READ response and a CNP leave at once")
    void answersAreNotPaced() {
        Trace trace = openKnown(notifying());
        for (int psn = 0x100; psn < 0x104; psn++) {
            trace.posts(Trace.write(8)).advance(3, TimeUnit.MILLISECONDS).peerSends(ackOf(psn).marked()).takeAll();
        }
        trace.posts(Trace.write(60 * 1024));
        int batch = trace.takeAll().size();
        assertTrue(batch < 20, () -> batch + " packets in the first batch");
        trace.sends(MARKED, write(0x101).ackReq());
        expectNotification(trace);
        trace.expect(ack(0x101));
        trace.peerSends(PeerPacket.read(0x102, 8).marked());
        assertEquals(Opcode.RC_RDMA_READ_RESPONSE_ONLY, trace.next().opcode());
        trace.expectNothing();
    }

    @Test
    @DisplayName("bad input: a CNP where ECN is off, so that nothing can be marked, is ignored and counted")
    void aNotificationWhereEcnIsOffIsIgnored() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(cnp()).expectNothing().expectNoCompletion().expectNoEvent();
        assertEquals(0, trace.counter(NicCounter.RP_CNP_HANDLED));
        assertEquals(1, trace.counter(NicCounter.RP_CNP_IGNORED));
    }

    @Test
    @DisplayName("a CNP of the peer reaches the controller, and changes nothing else")
    void aNotificationArrives() {
        Trace trace = notifying().hostilePeer().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(cnp()).sends(MARKED, cnp()).expectNothing().expectNoCompletion().expectNoEvent();
        assertEquals(1, trace.counter(NicCounter.RP_CNP_HANDLED));
        assertEquals(1, trace.counter(NicCounter.RP_CNP_IGNORED), "one is enough in a round trip");
        assertEquals(2, trace.counter(NicCounter.RCVD_PKTS));
        assertEquals(0, trace.counter(NicCounter.NP_CNP_SENT));
        assertEquals(0, Drops.of(trace.engine.counters()));
        trace.peerSends(ackOf(0x100)).expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("a CNP reaches the controller of the NIC, or that of its queue pair where one was chosen")
    void aNotificationReachesTheChosenController() {
        CongestionOptions paced = CongestionOptions.parse("dcqcn,rate_to_set_on_first_cnp=8mbit");
        expectHandled(true, paced, null);
        expectHandled(false, CongestionOptions.NONE, null);
        expectHandled(true, CongestionOptions.NONE, paced);
        expectHandled(false, paced, CongestionOptions.NONE);
    }

    /** At 8 Mbit/s, packets of 1024 bytes leave 1.5 ms apart. */
    private static void expectHandled(boolean isHandled, CongestionOptions ofNic, CongestionOptions ofQueuePair) {
        Trace trace = notifying().hostilePeer().congestion(ofNic, ofQueuePair).open();
        trace.posts(send(1024)).takeAll();
        trace.peerSends(cnp());
        assertEquals(isHandled ? 1 : 0, trace.counter(NicCounter.RP_CNP_HANDLED));
        assertEquals(isHandled ? 0 : 1, trace.counter(NicCounter.RP_CNP_IGNORED));
        trace.posts(send(8192));
        int atOnce = trace.takeAll().size();
        assertEquals(isHandled, atOnce <= 2, () -> atOnce + " packets at once");
        trace.advance(20, TimeUnit.MILLISECONDS);
        assertEquals(8 - atOnce, trace.takeAll().size());
    }

    @Test
    @DisplayName("R16 a forged CNP is a counted drop: wrong source, wrong ICRC, wrong queue pair, wrong state, too short")
    void forgedNotificationsAreDropped() {
        Trace trace = Trace.inRts().hostilePeer().open();
        Flow foreign = new Flow(Gid.parse("10.0.0.3"), Trace.OUR_GID, 0xC123, 4791);
        trace.sends(foreign, cnp()).peerSends(cnp().badIcrc(), cnp().cutTo(28),
            cnp().change(buffer -> HeaderField.BTH_QPN.set(buffer, 0, Trace.QPN + 1)));
        assertEquals(1, trace.dropped(DropReason.WRONG_SOURCE_ADDRESS));
        assertEquals(1, trace.dropped(DropReason.BAD_ICRC));
        assertEquals(1, trace.dropped(DropReason.HEADERS_TRUNCATED));
        assertEquals(1, trace.dropped(DropReason.UNKNOWN_QUEUE_PAIR));
        Trace receiving = Trace.inRtr().hostilePeer().open();
        receiving.peerSends(cnp());
        assertEquals(1, receiving.dropped(DropReason.QUEUE_PAIR_NOT_READY));
        for (Trace each : new Trace[] {trace, receiving}) {
            each.expectNothing().expectNoEvent();
            assertEquals(0, each.counter(NicCounter.RP_CNP_HANDLED) + each.counter(NicCounter.RP_CNP_IGNORED));
        }
    }
}
