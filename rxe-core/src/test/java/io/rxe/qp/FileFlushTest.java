package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.nak;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.FrameExpectation.sequenceNak;
import static io.rxe.qp.FrameExpectation.writeOnly;
import static io.rxe.qp.PeerPacket.atomicWrite;
import static io.rxe.qp.PeerPacket.flush;
import static io.rxe.qp.Trace.BASE;
import static io.rxe.qp.Trace.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import io.rxe.wire.Syndrome;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A FLUSH to persistence while the file system carries it out (rule R21). */
class FileFlushTest {
    private static final int FILE_KEY = 0x55;
    private static final long FILE_BASE = 0x9_0000L;
    private static final int RANGE = FlushLevel.RANGE.ordinal();

    @TempDir
    private Path folder;
    private Path file;
    private final HeldFileWrites files = new HeldFileWrites();
    private Trace trace;

    @BeforeEach
    void open() throws IOException {
        open(Trace.inRts());
    }

    private void open(TraceSetup setup) throws IOException {
        file = folder.resolve("store");
        trace = setup.on(files).access(AccessFlags.ALL & ~AccessFlags.LOCAL_WRITE | AccessFlags.FLUSH_PERSISTENT).open();
        trace.nextDraws(FILE_KEY);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            trace.domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.FLUSH_PERSISTENT, FILE_BASE,
                channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192));
        }
    }

    private static PeerPacket toFile(int psn) {
        return flush(psn, 64, FlushType.PERSISTENT, RANGE).at(FILE_BASE).key(FILE_KEY);
    }

    @Test
    @DisplayName("R21 the answer waits for the file system; nothing behind the FLUSH is executed or answered before it")
    void whatIsBehindWaits() {
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).ackReq()).expect(ack(0x100));
        trace.peerSends(toFile(0x101), atomicWrite(0x102).at(BASE + 64), PeerPacket.writeOnly(0x103, 8).at(BASE + 72).ackReq());
        trace.expectNothing().expectUntouched(64, 16);
        assertEquals(1, files.count());
        trace.advance(5, TimeUnit.SECONDS).expectNothing();
        files.finishOne();
        trace.run().expect(readOnly(0x101).payload(0).msn(2), readOnly(0x102).msn(3), ack(0x103).msn(4)).expectNothing();
        trace.expectMemory(64, PeerPacket.payloadOf(0x102, 8)).expectMemory(72, PeerPacket.payloadOf(0x103, 8));
    }

    @Test
    @DisplayName("R21 the queue pair goes on otherwise: it sends requests and repeats acknowledgements")
    void theQueuePairGoesOn() {
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).ackReq()).expect(ack(0x100));
        trace.peerSends(toFile(0x101)).expectNothing();
        trace.posts(write(8)).expect(writeOnly(0x100));
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).ackReq()).expect(ack(0x100)).expectNothing();
    }

    @Test
    @DisplayName("R21 R6 a FLUSH that arrives again is carried out once; after the answer it gets the answer again")
    void aDuplicateIsNotCarriedOut() {
        trace.peerSends(toFile(0x100), toFile(0x100)).expectNothing();
        assertEquals(1, files.count());
        assertEquals(1, trace.dropped(DropReason.NETWORK_COPY));
        files.finishOne();
        trace.run().expect(readOnly(0x100).msn(1)).expectNothing();
        trace.peerSends(toFile(0x100)).expect(readOnly(0x100).msn(1)).expectNothing();
        assertEquals(0, files.count());
    }

    @Test
    @DisplayName("R21 R1 a gap behind the FLUSH is reported after its answer, and so is one before it")
    void gapsAreReportedAfterwards() {
        trace.peerSends(toFile(0x101)).expect(sequenceNak(0x100));
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).ackReq()).expect(ack(0x100));
        trace.peerSends(PeerPacket.writeOnly(0x103, 8).ackReq()).expectNothing();
        files.finishOne();
        trace.run().advance(100, TimeUnit.MILLISECONDS).expect(readOnly(0x101).msn(2), sequenceNak(0x102)).expectNothing();
        trace.peerSends(PeerPacket.writeOnly(0x102, 8)).expect(ack(0x103).msn(4)).expectNothing();
    }

    @Test
    @DisplayName("R21 G3 R1 a revocation that has not left when the FLUSH arrives leaves behind its answer, and names what follows")
    void aRevocationLeavesAfterwards() throws IOException {
        open(Trace.inRts().hostilePeer());
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).marked().ackReq()).expect(ack(0x100));
        trace.peerSends(PeerPacket.writeOnly(0x102, 8).marked()).expect(ack(0x100).report("101+1 end 103", 0));
        trace.sink.room(0);
        trace.peerSends(PeerPacket.writeOnly(0x102, 8).at(BASE + 64).marked());
        trace.peerSends(toFile(0x101).marked());
        files.finishOne();
        trace.sink.room(10);
        trace.run().expect(readOnly(0x101).msn(2), sequenceNak(0x102));
    }

    @Test
    @DisplayName("R21 two FLUSHes are carried out one after the other")
    void oneAfterTheOther() {
        trace.peerSends(toFile(0x100), toFile(0x101)).expectNothing();
        assertEquals(1, files.count());
        files.finishOne();
        trace.run().expect(readOnly(0x100).msn(1)).expectNothing();
        assertEquals(1, files.count());
        files.finishOne();
        trace.run().expect(readOnly(0x101).msn(2)).expectNothing();
    }

    @Test
    @DisplayName("R21 Remote Operational: the file was truncated, so that its pages cannot be forced")
    void aFaultFailsTheQueuePair() throws IOException {
        trace.peerSends(toFile(0x100)).expectNothing();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
        files.finishOne();
        trace.run();
        if (trace.pair.state() == QueuePairState.ERROR) {
            trace.expect(nak(0x100, Syndrome.REMOTE_OPERATIONAL_ERROR)).expectNothing();
            String why = trace.expectEvent(AsyncEvent.Type.QP_ACCESS_ERR).explanation();
            assertTrue(why.contains("RC_FLUSH with PSN 0x000100"), why);
        } else {
            // Some kernels force the pages of a truncated file without an error: nothing was lost that could be kept.
            trace.expect(readOnly(0x100)).expectNothing();
        }
    }

    @Test
    @DisplayName("R21 a queue pair that ends meanwhile answers nothing")
    void anEndedQueuePairAnswersNothing() {
        trace.peerSends(toFile(0x100), PeerPacket.writeOnly(0x101, 8).at(BASE + 64).ackReq());
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        files.finishOne();
        trace.run().expectNothing().expectUntouched(64, 8);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        trace.run().expectNothing();
    }
}
