package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.nak;
import static io.rxe.qp.FrameExpectation.readFirst;
import static io.rxe.qp.FrameExpectation.readLast;
import static io.rxe.qp.FrameExpectation.readMiddle;
import static io.rxe.qp.PeerPacket.read;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.wire.Syndrome.REMOTE_OPERATIONAL_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that faults while a peer READs it (rule R14): the second page of a mapped file, which is truncated. */
class MemoryFaultRulesTest {
    private static final int PAGE = 4096;
    private static final int KEY = 0x5151;
    /** A READ of 4 packets from here on has two in the first page. */
    private static final int FROM = PAGE - 2048;

    @TempDir
    private Path folder;
    private FileChannel file;
    private final Trace trace = Trace.inRts().open();

    @BeforeEach
    void register() throws IOException {
        file = FileChannel.open(folder.resolve("mapped"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        trace.nextDraws(KEY);
        trace.domain.register(AccessFlags.REMOTE_READ, 0, file.map(FileChannel.MapMode.READ_WRITE, 0, 2 * PAGE));
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    private static PeerPacket readOf(int psn, int from, long bytes) {
        return read(psn, bytes).at(from).key(KEY);
    }

    private void expectFailed() {
        trace.expectState(QueuePairState.ERROR).expectEvent(AsyncEvent.Type.QP_ACCESS_ERR);
    }

    @Test
    @DisplayName("R14 a fault before the first response is refused with the PSN of the READ, whoever asks")
    void atTheStart() throws IOException {
        file.truncate(PAGE);
        trace.peerSends(readOf(0x100, PAGE, 4096)).expect(nak(0x100, REMOTE_OPERATIONAL_ERROR)).expectNothing();
        expectFailed();
    }

    @Test
    @DisplayName("R14 K2 a fault within a READ ends it in silence: a kernel would complete it with success")
    void halfWay() throws IOException {
        file.truncate(PAGE);
        trace.peerSends(readOf(0x100, FROM, 4096)).expect(readFirst(0x100), readMiddle(0x101)).expectNothing();
        expectFailed();
        trace.peerSends(writeOnly(0x104, 8).ackReq()).advance(1, TimeUnit.SECONDS).expectNothing();
    }

    @Test
    @DisplayName("R14 G1 a fault within a READ of a known peer is refused with the PSN of the missing response")
    void halfWayOfKnownPeer() throws IOException {
        file.truncate(PAGE);
        trace.peerSends(readOf(0x100, FROM, 4096).marked());
        trace.expect(readFirst(0x100), readMiddle(0x101), nak(0x102, REMOTE_OPERATIONAL_ERROR)).expectNothing();
        expectFailed();
    }

    @Test
    @DisplayName("R14 R3 a fault of a duplicate, which may be a late copy, has no effect")
    void ofDuplicate() throws IOException {
        trace.peerSends(readOf(0x100, FROM, 4096));
        trace.expect(readFirst(0x100), readMiddle(0x101), readMiddle(0x102), readLast(0x103)).expectNothing();
        file.truncate(PAGE);
        trace.advance(10, TimeUnit.MILLISECONDS).peerSends(readOf(0x102, PAGE, 2048)).expectNothing();
        trace.expectState(QueuePairState.RTS).expectNoEvent();
        trace.peerSends(writeOnly(0x104, 8).ackReq()).expect(ack(0x104)).expectNothing();
    }

    @Test
    @DisplayName("R14 once the application has moved the queue pair to ERROR, it may close memory that a peer reads without an event")
    void behindError() {
        trace.arrives(Trace.FROM_PEER, read(0x100, 1 << 18));
        trace.engine.poll(trace.nowNs(), trace.sink);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.region.close();
        trace.run().expectNoEvent();
        assertEquals(128, trace.takeAll().size());
    }
}
