package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.readFirst;
import static io.rxe.qp.FrameExpectation.readLast;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.read;
import static io.rxe.qp.PeerPacket.sendOnly;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.qp.Trace.FROM_OTHER_PORT;
import static io.rxe.qp.Trace.FROM_PEER;
import static io.rxe.qp.Trace.OUR_GID;
import static io.rxe.qp.Trace.PEER_GID;
import static io.rxe.qp.Trace.PEER_OTHER_GID;
import static io.rxe.qp.Trace.send;
import static io.rxe.qp.Trace.write;
import static io.rxe.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.verbs.PathMigrationState.ARMED;
import static io.rxe.verbs.PathMigrationState.MIGRATED;
import static io.rxe.verbs.PathMigrationState.REARM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.device.NicConfig;
import io.rxe.device.TestConfig;
import io.rxe.port.Flow;
import io.rxe.qp.context.FramePool;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Rule M1: automatic path migration. Path 1 leads from 10.0.0.1 to 10.0.0.2, path 2 from 10.1.0.1 to 10.1.0.2. */
class PathMigrationRulesTest {
    private static final AlternatePath SECOND = new AlternatePath(AddressVector.to(PEER_OTHER_GID), 2, 10);
    private static final AlternatePath FIRST = new AlternatePath(AddressVector.to(PEER_GID), 1, 9);

    private static QueuePairAttributes rts() {
        return QueuePairAttributes.to(QueuePairState.RTS);
    }

    private static final long SECOND_NS = 1_000_000_000;

    private static QueuePairAttributes rearm(AlternatePath path) {
        return rts().alternatePath(path).pathMigrationState(REARM);
    }

    /** Timeout code 8 (1.05 ms) and one retry, on path 1; ready to migrate to path 2. */
    private static Trace armed() {
        Trace trace = Trace.inRts().twoPorts().timeout(8).retryCount(1).open();
        trace.pair.modify(rearm(SECOND));
        trace.postsReceives(64, 64, 64, 64);
        trace.sends(FROM_PEER, sendOnly(0x100, 8).ackReq());
        trace.expect(ack(0x100).onFirstPath(false));
        trace.expectCompletion(100, SUCCESS);
        expectState(trace, ARMED);
        return trace;
    }

    private static void expectState(Trace trace, PathMigrationState state) {
        assertEquals(state, trace.pair.query().pathMigrationState());
    }

    private static String refusal(Trace trace, QueuePairAttributes change) {
        List<String> before = List.of(trace.pair.query().toString());
        String text = assertThrows(IllegalArgumentException.class, () -> trace.pair.modify(change)).getMessage();
        assertEquals(before, List.of(trace.pair.query().toString()), "a refused change left something behind");
        return text;
    }

    @Test
    @DisplayName("M1 MigReq is 1 with an alternate path loaded, 0 in REARM and ARMED, and 0 where none was ever loaded")
    void theBitShowsTheState() {
        Trace trace = Trace.inRts().twoPorts().open();
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x100).onFirstPath(false));
        trace.pair.modify(rts().alternatePath(SECOND));
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x101).onFirstPath(true));
        trace.pair.modify(rts().pathMigrationState(REARM));
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x102).onFirstPath(false));
        expectState(trace, REARM);
        trace.sends(FROM_PEER, ackOf(0x100).migReq());
        expectState(trace, REARM);
        trace.sends(FROM_PEER, ackOf(0x101));
        expectState(trace, ARMED);
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x103).onFirstPath(false));
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("M1 T6 exhausted retries migrate an armed queue pair, which reloads the counters; the second exhaustion is final")
    void aDeadPathIsLeft() {
        Trace trace = armed();
        trace.posts(send(8), send(8));
        trace.expect(FrameExpectation.sendOnly(0x100).onFirstPath(false), FrameExpectation.sendOnly(0x101).onFirstPath(false));
        trace.advance(2, TimeUnit.MILLISECONDS);
        trace.expect(FrameExpectation.sendOnly(0x100).onFirstPath(false), FrameExpectation.sendOnly(0x101).onFirstPath(false));
        trace.advance(1, TimeUnit.MILLISECONDS);
        trace.expect(FrameExpectation.sendOnly(0x100).onSecondPath(true), FrameExpectation.sendOnly(0x101).onSecondPath(true));
        AsyncEvent event = trace.expectEvent(AsyncEvent.Type.PATH_MIG);
        assertTrue(event.explanation().contains("10.0.0.2") && event.explanation().contains("10.1.0.2"), event::toString);
        trace.expectState(QueuePairState.RTS);
        QueuePairAttributes now = trace.pair.query();
        assertEquals(MIGRATED, now.pathMigrationState());
        assertEquals(SECOND.addressVector(), now.addressVector());
        assertEquals(2, now.port());
        assertEquals(10, now.timeout());
        assertNull(now.alternatePath());
        trace.sends(FROM_OTHER_PORT, ackOf(0x100).migReq());
        trace.expectCompletion(1, SUCCESS);
        assertEquals(0, trace.counter(NicCounter.RETRY_EXCEEDED_ERR));
        assertEquals(1, trace.counter(NicCounter.PATH_MIGRATIONS));
        // Timeout code 10 is 4.2 ms: one retry, then the end.
        trace.advance(6, TimeUnit.MILLISECONDS);
        trace.expectNoCompletion();
        trace.advance(6, TimeUnit.MILLISECONDS);
        trace.expectCompletion(2, RETRY_EXC_ERR);
        trace.expectState(QueuePairState.ERROR);
    }

    @Test
    @DisplayName("M1 T11 an idle armed queue pair whose keep-alives nobody answers migrates, and asks there with MigReq 1")
    void anIdleQueuePairLeavesADeadPath() {
        Trace trace = armed();
        trace.pair.modify(rts().keepAliveNs(SECOND_NS));
        trace.advanceNs(SECOND_NS).expect(FrameExpectation.writeOnly(0xFF).onFirstPath(false));
        trace.advance(2, TimeUnit.MILLISECONDS).expect(FrameExpectation.writeOnly(0xFF).onFirstPath(false));
        trace.advance(2, TimeUnit.MILLISECONDS).expectNothing().expectEvent(AsyncEvent.Type.PATH_MIG);
        trace.advanceNs(SECOND_NS).expect(FrameExpectation.writeOnly(0xFF).onSecondPath(true));
        trace.sends(FROM_OTHER_PORT, ackOf(0xFF).msn(0).migReq());
        trace.expectState(QueuePairState.RTS).expectNoEvent();
    }

    @Test
    @DisplayName("M1 a queue pair in REARM does not migrate when its retries are exhausted")
    void aPeerThatHasNotArmedMayHaveNoSecondPath() {
        Trace trace = Trace.inRts().twoPorts().timeout(8).retryCount(1).open();
        trace.pair.modify(rearm(SECOND));
        trace.posts(send(8));
        trace.advance(5, TimeUnit.MILLISECONDS);
        trace.expectCompletion(1, RETRY_EXC_ERR);
        trace.expectNoEvent();
        assertTrue(trace.takeAll().stream().allMatch(frame -> frame.flow().destination().equals(PEER_GID)));
    }

    @Test
    @DisplayName("M1 the peer's MigReq on the alternate path migrates; what is outstanding is retransmitted there, and responses follow")
    void thePeerMigrates() {
        Trace trace = armed();
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x100).onFirstPath(false));
        trace.sends(FROM_OTHER_PORT, sendOnly(0x101, 8).ackReq().migReq());
        trace.expect(FrameExpectation.sendOnly(0x100).onSecondPath(true), ack(0x101).onSecondPath(true));
        trace.expectEvent(AsyncEvent.Type.PATH_MIG);
        trace.expectCompletion(101, SUCCESS);
        expectState(trace, MIGRATED);
        trace.sends(FROM_OTHER_PORT, ackOf(0x100).migReq());
        trace.expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("M1 a migrated queue pair drops what arrives on the path it left, requests and responses")
    void nothingIsAnsweredOnTheOldPath() {
        Trace trace = armed();
        trace.sends(FROM_OTHER_PORT, sendOnly(0x101, 8).ackReq().migReq());
        trace.takeAll();
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x100).onSecondPath(true));
        trace.expectCompletion(101, SUCCESS);
        trace.sends(FROM_PEER, sendOnly(0x102, 8).ackReq()).expectNothing();
        trace.sends(FROM_PEER, sendOnly(0x102, 8).ackReq().migReq()).expectNothing();
        trace.sends(FROM_PEER, ackOf(0x100)).expectNoCompletion();
        assertEquals(3, trace.dropped(DropReason.WRONG_SOURCE_ADDRESS));
        trace.sends(FROM_OTHER_PORT, sendOnly(0x102, 8).ackReq().migReq());
        trace.expect(ack(0x102).onSecondPath(true));
    }

    @Test
    @DisplayName("M1 READ responses in progress go on behind the migration, on the new path")
    void aReadGoesOn() {
        Trace trace = armed();
        trace.sink.room(1);
        trace.sends(FROM_PEER, read(0x101, 2048));
        trace.sends(FROM_OTHER_PORT, writeOnly(0x103, 8).ackReq().migReq());
        trace.sink.room(1000);
        trace.run();
        trace.expect(readFirst(0x101).onFirstPath(false), readLast(0x102).onSecondPath(true), ack(0x103).onSecondPath(true));
    }

    @Test
    @DisplayName("M1 the verb MIGRATED leaves a sound path at once")
    void theApplicationMigrates() {
        Trace trace = armed();
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x100).onFirstPath(false));
        trace.pair.modify(rts().pathMigrationState(MIGRATED));
        trace.run().expect(FrameExpectation.sendOnly(0x100).onSecondPath(true));
        trace.expectEvent(AsyncEvent.Type.PATH_MIG);
        trace.sends(FROM_OTHER_PORT, ackOf(0x100).migReq());
        trace.expectCompletion(1, SUCCESS);
        trace.posts(Trace.read(100)).expect(readRequest(0x101, 100).onSecondPath(true));
    }

    @Test
    @DisplayName("M1 what was in flight on the path that was left takes nothing from the window of the new one")
    void theNewPathHasLostNothing() {
        Trace trace = armed();
        int window = trace.posts(write(64 * 1024)).takeAll().size();
        assertTrue(window > 1 && window < 64);
        trace.pair.modify(rts().pathMigrationState(MIGRATED));
        assertEquals(window, trace.run().takeAll().size());
    }

    @Test
    @DisplayName("M1 who migrates and arms at once repeats MigReq 1 until the peer has followed")
    void aHastyApplicationLosesNoMigration() {
        Trace trace = armed();
        trace.pair.modify(rts().pathMigrationState(MIGRATED));
        trace.pair.modify(rearm(FIRST));
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x100).onSecondPath(true));
        expectState(trace, REARM);
        trace.sends(FROM_OTHER_PORT, ackOf(0x100).migReq());
        expectState(trace, REARM);
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x101).onSecondPath(false));
        trace.sends(FROM_OTHER_PORT, ackOf(0x101));
        expectState(trace, ARMED);
    }

    @Test
    @DisplayName("M1 there and back: the path that was left is loaded again, armed, and taken")
    void thereAndBack() {
        Trace trace = armed();
        trace.sends(FROM_OTHER_PORT, sendOnly(0x101, 8).ackReq().migReq());
        trace.expect(ack(0x101).onSecondPath(true));
        trace.pair.modify(rearm(FIRST));
        trace.sends(FROM_OTHER_PORT, sendOnly(0x102, 8).ackReq());
        trace.expect(ack(0x102).onSecondPath(false));
        expectState(trace, ARMED);
        // A late packet of the path's earlier use has MigReq 0.
        trace.sends(FROM_PEER, sendOnly(0x103, 8).ackReq()).expectNothing();
        trace.sends(FROM_PEER, sendOnly(0x103, 8).ackReq().migReq());
        trace.expect(ack(0x103).onFirstPath(true));
        assertEquals(2, trace.counter(NicCounter.PATH_MIGRATIONS));
    }

    @Test
    @DisplayName("M1 a late or forged packet, with a PSN that the peer does not use now, arms nobody and is no sign that the peer followed")
    void onlyThePeerArms() {
        Trace trace = armed();
        trace.pair.modify(rts().pathMigrationState(MIGRATED));
        trace.pair.modify(rearm(FIRST));
        for (PeerPacket unexpected : List.of(ackOf(0x100), ackOf(0xFE), sendOnly(0xFF, 8), sendOnly(0x102, 8))) {
            trace.sends(FROM_OTHER_PORT, unexpected).takeAll();
            expectState(trace, REARM);
        }
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x100).onSecondPath(true));
        trace.sends(FROM_OTHER_PORT, ackOf(0x100));
        expectState(trace, ARMED);
    }

    @Test
    @DisplayName("M1 MigReq 1 on the primary path is a late packet and changes nothing")
    void aLatePacketDoesNotMigrate() {
        Trace trace = armed();
        trace.sends(FROM_PEER, sendOnly(0x101, 8).ackReq().migReq());
        trace.expect(ack(0x101).onFirstPath(false));
        expectState(trace, ARMED);
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("M1 PATH_MIG_ERR reports a migration to a path that is not the alternate one, once and only with a right ICRC")
    void aForeignPathIsReported() {
        Trace trace = armed();
        Flow foreign = new Flow(Gid.parse("10.1.0.9"), Trace.OUR_OTHER_GID, 0xC123, 4791);
        trace.sends(foreign, sendOnly(0x101, 8).ackReq().migReq().badIcrc()).expectNoEvent();
        trace.sends(foreign, sendOnly(0x101, 8).ackReq()).expectNoEvent();
        trace.sends(foreign, sendOnly(0x101, 8).ackReq().migReq()).expectNothing();
        AsyncEvent event = trace.expectEvent(AsyncEvent.Type.PATH_MIG_ERR);
        assertTrue(event.explanation().contains("10.1.0.9"), event::toString);
        trace.sends(foreign, sendOnly(0x101, 8).ackReq().migReq()).expectNothing().expectNoEvent();
        expectState(trace, ARMED);
        assertEquals(1, trace.counter(NicCounter.PATH_MIGRATION_ERRORS));
    }

    @Test
    @DisplayName("M1 R16 a corrupt migration changes nothing")
    void aCorruptMigrationChangesNothing() {
        Trace trace = armed();
        trace.sends(FROM_OTHER_PORT, sendOnly(0x101, 8).ackReq().migReq().badIcrc()).expectNothing();
        trace.sends(FROM_OTHER_PORT, sendOnly(0x101, 8).ackReq()).expectNothing();
        expectState(trace, ARMED);
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("M1 a forged migration costs a migration: the peer is told, follows, and nothing is lost; it cannot be forged twice")
    void aForgedMigrationIsFollowed() {
        Trace trace = armed();
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x100).onFirstPath(false));
        // From the right addresses, with a PSN that nobody expects.
        trace.sends(FROM_OTHER_PORT, ackOf(0x7F_FFFF).migReq());
        trace.expect(FrameExpectation.sendOnly(0x100).onSecondPath(true));
        trace.expectEvent(AsyncEvent.Type.PATH_MIG);
        trace.sends(FROM_PEER, ackOf(0x100)).expectNothing();
        trace.sends(FROM_OTHER_PORT, ackOf(0x100).migReq());
        trace.expectCompletion(1, SUCCESS);
        trace.sends(FROM_PEER, ackOf(0x7F_FFFF).migReq()).expectNothing().expectNoEvent();
        expectState(trace, MIGRATED);
    }

    @Test
    @DisplayName("M1 an alternate path is loaded on the way to RTR and RTS, and RESET forgets it")
    void loadedBeforeTheConnectionIsUp() {
        Trace trace = Trace.inRts().twoPorts().in(QueuePairState.INIT).open();
        trace.pair.modify(trace.toRtr().alternatePath(SECOND));
        trace.pair.modify(trace.toRts().pathMigrationState(REARM));
        expectState(trace, REARM);
        trace.sends(FROM_PEER, read(0x100, 8));
        trace.expect(readOnly(0x100).onFirstPath(false));
        expectState(trace, ARMED);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        assertNull(trace.pair.query().alternatePath());
        expectState(trace, MIGRATED);
        trace.pair.modify(QueuePairAttributes.toInit(trace.setup.access));
        trace.pair.modify(trace.toRtr());
        trace.pair.modify(trace.toRts());
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x100).onFirstPath(false));
    }

    @Test
    @DisplayName("M1 every wrong change is refused with a sentence, and changes nothing")
    void wrongChangesAreRefused() {
        Trace trace = Trace.inRts().twoPorts().open();
        says(trace, rts().pathMigrationState(REARM), "without an alternate path", "set ALTERNATE_PATH");
        says(trace, rts().pathMigrationState(ARMED), "entered by the NIC", "set REARM");
        says(trace, rearm(new AlternatePath(AddressVector.to(PEER_GID), 1, 10)), "is the primary path");
        says(trace, rearm(new AlternatePath(AddressVector.to(PEER_OTHER_GID), 3, 10)), "port 3", "1..2");
        says(trace, rearm(new AlternatePath(AddressVector.to(PEER_OTHER_GID), 0, 10)), "port 0", "1..2");
        says(trace, rearm(new AlternatePath(AddressVector.to(PEER_OTHER_GID), 2, 32)), "timeout 32", "0..31");
        says(trace, rearm(new AlternatePath(AddressVector.to(Gid.parse("fd00::2")), 2, 10)), "address family");
        says(trace, rearm(new AlternatePath(AddressVector.to(Gid.parse("224.0.0.1")), 2, 10)), "ALTERNATE_PATH", "group");
        trace.pair.modify(rearm(SECOND));
        says(trace, rts().pathMigrationState(MIGRATED), "has not armed");
        trace.sends(FROM_PEER, writeOnly(0x100, 8));
        expectState(trace, ARMED);
        says(trace, rts().pathMigrationState(REARM), "while the queue pair is ARMED");
        says(trace, rts().alternatePath(SECOND), "cannot change while the queue pair is ARMED");
        says(trace, rts().alternatePath(SECOND).pathMigrationState(MIGRATED), "cannot change while the queue pair is ARMED");
        trace.pair.modify(rearm(new AlternatePath(AddressVector.to(PEER_OTHER_GID), 1, 10)));
        expectState(trace, REARM);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        says(trace, QueuePairAttributes.to(QueuePairState.SQD).addressVector(AddressVector.to(PEER_OTHER_GID)), "is the primary path");
        assertEquals(OUR_GID, trace.nic.gid(1));
        assertEquals(2, trace.nic.ports());
        assertTrue(trace.pair.query().has(QueuePairAttribute.ALTERNATE_PATH));
        says(() -> trace.nic.gid(3), "port 3", "1..2");
        assertThrows(NullPointerException.class, () -> rts().alternatePath(null));
        assertThrows(NullPointerException.class, () -> rts().pathMigrationState(null));
        assertThrows(NullPointerException.class, () -> new AlternatePath(null, 1, 1));
    }

    @Test
    @DisplayName("M1 a queue pair may use the second port from the start, a UD queue pair may not")
    void theSecondPort() {
        Trace trace = Trace.inRts().twoPorts().in(QueuePairState.RESET).open();
        trace.pair.modify(QueuePairAttributes.toInit(trace.setup.access).port(2));
        trace.pair.modify(trace.toRtr().addressVector(AddressVector.to(PEER_OTHER_GID)));
        trace.pair.modify(trace.toRts());
        trace.posts(send(8)).expect(FrameExpectation.sendOnly(0x100).onSecondPath(false));
        trace.sends(FROM_PEER, ackOf(0x100)).expectNoCompletion();
        trace.sends(FROM_OTHER_PORT, ackOf(0x100));
        trace.expectCompletion(1, SUCCESS);
        QueuePair datagrams = trace.domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, trace.completionQueue,
            trace.completionQueue));
        QueuePairAttributes change = QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).queueKey(1);
        says(() -> datagrams.modify(change.port(2)), "PORT 2", "datagrams use port 1");
        says(() -> datagrams.modify(change.port(3)), "PORT 3", "1..2");
        datagrams.modify(change.port(1));
    }

    @Test
    @DisplayName("R1 M1 what a queue pair keeps behind a gap counts for the address of the peer that it migrated to")
    void keptFramesMoveWithTheQueuePair() {
        Trace trace = Trace.inRts().twoPorts().open();
        trace.pair.modify(rearm(SECOND));
        trace.sends(FROM_PEER, writeOnly(0x100, 8)).sends(FROM_PEER, writeOnly(0x102, 8));
        trace.pair.modify(rts().pathMigrationState(MIGRATED));
        FramePool pool = trace.engine.frames();
        long left = pool.available(pool.join(PEER_GID), 0, 1);
        assertTrue(left > pool.available(pool.join(PEER_OTHER_GID), 0, 1), () -> left + " frames left for the address it left");
    }

    @Test
    @DisplayName("M1 the ports of a NIC are 1 to 16 different addresses")
    void portsAreDifferentAddresses() {
        says(() -> config(List.of()), "give 1 to 16 different addresses");
        says(() -> config(List.of(OUR_GID, OUR_GID)), "10.0.0.1", "give 1 to 16 different addresses");
        says(() -> config(IntStream.range(0, 17).mapToObj(i -> Gid.ofIpv4(0x0A00_0001 + i)).toList()), "give 1 to 16");
    }

    private static NicConfig config(List<Gid> ports) {
        return TestConfig.of(ports, 4791, PathMtu.MTU_1024, 1, NicConfig.DEFAULT_WINDOW_BYTES);
    }

    private static void says(Trace trace, QueuePairAttributes change, String... parts) {
        String text = refusal(trace, change);
        for (String part : parts) {
            assertTrue(text.contains(part), text);
        }
    }

    private static void says(Executable call, String... parts) {
        String text = assertThrows(IllegalArgumentException.class, call).getMessage();
        for (String part : parts) {
            assertTrue(text.contains(part), text);
        }
    }
}
