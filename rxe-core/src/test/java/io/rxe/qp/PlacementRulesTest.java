package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.frame;
import static io.rxe.qp.FrameExpectation.nak;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.FrameExpectation.sequenceNak;
import static io.rxe.qp.FrameExpectation.writeOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.atomicWrite;
import static io.rxe.qp.PeerPacket.flush;
import static io.rxe.qp.Trace.BASE;
import static io.rxe.qp.Trace.KEY;
import static io.rxe.qp.Trace.write;
import static io.rxe.verbs.CompletionStatus.BAD_RESP_ERR;
import static io.rxe.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.wire.Syndrome.INVALID_REQUEST;
import static io.rxe.wire.Syndrome.REMOTE_ACCESS_ERROR;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import io.rxe.wire.Syndrome;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ATOMIC_WRITE and FLUSH: the requester (rule Q16) and the responder (rules R20, R21). */
class PlacementRulesTest {
    private static final int ALL = AccessFlags.ALL & ~AccessFlags.LOCAL_WRITE;
    private static final int RANGE = FlushLevel.RANGE.ordinal();
    private static final int REGION = FlushLevel.REGION.ordinal();

    private static WorkRequest atomicWriteRequest() {
        return new WorkRequest().atomicWrite(0x5000_0008L, 0x99).add(BASE + 16, 8, KEY);
    }

    private static WorkRequest flushRequest() {
        return new WorkRequest().flush(0x5000_0100L, 0x99, 4096, FlushType.PERSISTENT, FlushLevel.RANGE);
    }

    private static Trace open() {
        return Trace.inRts().access(ALL).open();
    }

    // The requester.

    @Test
    @DisplayName("Q16 an ATOMIC_WRITE carries its eight bytes; an empty READ response completes it and what is before it")
    void anAtomicWriteIsSentAndCompleted() {
        Trace trace = open();
        trace.posts(write(8), atomicWriteRequest());
        trace.expect(writeOnly(0x100), frame(Opcode.RC_ATOMIC_WRITE, 0x101).at(0x5000_0008L).key(0x99).dmaLength(8)
            .bytes(Trace.memoryBytes(16, 8)).ackReq()).expectNothing();
        trace.peerSends(PeerPacket.readOnly(0x101, 0).msn(2)).expectCompletion(1, SUCCESS);
        WorkCompletion completion = trace.expectCompletion(2, SUCCESS);
        assertEquals(Operation.ATOMIC_WRITE, completion.operation());
        assertEquals(8, completion.byteLength());
    }

    @Test
    @DisplayName("Q16 the bytes of an ATOMIC_WRITE may be inline")
    void anAtomicWriteMayBeInline() {
        Trace trace = open();
        ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        trace.posts(new WorkRequest().atomicWrite(0x5000_0008L, 0x99).inline(bytes));
        trace.expect(frame(Opcode.RC_ATOMIC_WRITE, 0x100).bytes(bytes.array()));
    }

    @Test
    @DisplayName("Q16 a FLUSH carries its type, level and range; an empty READ response completes it")
    void aFlushIsSentAndCompleted() {
        Trace trace = open();
        trace.posts(flushRequest(), new WorkRequest().flush(0, 0x99, 0, FlushType.GLOBAL, FlushLevel.REGION));
        trace.expect(frame(Opcode.RC_FLUSH, 0x100).at(0x5000_0100L).key(0x99).dmaLength(4096).payload(0).ackReq()
                .field("type", 2, SentFrame::flushType).field("level", 0, SentFrame::flushLevel),
            frame(Opcode.RC_FLUSH, 0x101).dmaLength(0).field("type", 1, SentFrame::flushType).field("level", 1, SentFrame::flushLevel));
        trace.peerSends(PeerPacket.readOnly(0x100, 0).msn(1), PeerPacket.readOnly(0x101, 0).msn(2));
        WorkCompletion completion = trace.expectCompletion(1, SUCCESS);
        assertEquals(Operation.FLUSH, completion.operation());
        assertEquals(0, completion.byteLength());
        trace.expectCompletion(2, SUCCESS);
    }

    @Test
    @DisplayName("Q16 Q10 a response with data, or of another kind, is a bad response")
    void otherResponsesAreBad() {
        for (WorkRequest request : List.of(atomicWriteRequest(), flushRequest())) {
            for (PeerPacket response : List.of(PeerPacket.readOnly(0x100, 8), PeerPacket.atomicAckOf(0x100, 1),
                PeerPacket.readFirst(0x100, 1024))) {
                Trace trace = open();
                trace.posts(request).takeAll();
                trace.peerSends(response.msn(1)).expectCompletion(1, BAD_RESP_ERR);
                trace.expectNoEvent();
            }
        }
    }

    @Test
    @DisplayName("Q16 Q4 a missing answer to an ATOMIC_WRITE is asked for again when an ACK passes it")
    void aMissingAnswerIsAskedForAgain() {
        Trace trace = open();
        trace.posts(atomicWriteRequest(), write(8));
        byte[] first = trace.next().payload();
        trace.expect(writeOnly(0x101));
        trace.peerSends(ackOf(0x101).msn(2));
        trace.expect(frame(Opcode.RC_ATOMIC_WRITE, 0x100).bytes(first)).expectNothing().expectNoCompletion();
        trace.peerSends(PeerPacket.readOnly(0x100, 0).msn(2)).expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
    }

    @Test
    @DisplayName("Q16 a response to a later request completes a FLUSH, but not one at its own PSN")
    void aLaterResponseCompletesAFlush() {
        Trace trace = open();
        trace.posts(flushRequest(), flushRequest(), write(8)).takeAll();
        trace.peerSends(ackOf(0x100).msn(1)).expectNoCompletion();
        trace.peerSends(ackOf(0x102).msn(3)).expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.expectCompletion(3, SUCCESS);
        trace.advance(2, TimeUnit.SECONDS).expectNothing();
    }

    @Test
    @DisplayName("Q16 G2 a gap report that passes a FLUSH does not complete it: its response may have yet to leave, and holds a place")
    void aGapReportDoesNotCompleteAFlush() {
        Trace trace = open();
        trace.posts(write(8), flushRequest(), write(8)).takeAll();
        trace.peerSends(ackOf(0x100).msn(1).report("end 103")).expectCompletion(1, SUCCESS);
        trace.expectNoCompletion();
        trace.peerSends(PeerPacket.readOnly(0x101, 0).msn(2)).expectCompletion(2, SUCCESS);
        trace.expectCompletion(3, SUCCESS);
    }

    @Test
    @DisplayName("Q16 retransmissions of a FLUSH alternate the ICRC until one is answered; then the peer's is known")
    void theIcrcOfThePeerIsLearned() {
        Trace trace = Trace.inRts().access(ALL).retryCount(3).open();
        trace.posts(flushRequest());
        assertFalse(trace.next().isCoveredTwice());
        for (boolean coveredTwice : new boolean[] {true, false, true}) {
            trace.expectNothing().advance(10, TimeUnit.MILLISECONDS);
            trace.peerSends(PeerPacket.nakOf(0x100, Syndrome.PSN_SEQUENCE_ERROR));
            assertEquals(coveredTwice, trace.next().isCoveredTwice());
        }
        trace.peerSends(PeerPacket.readOnly(0x100, 0).msn(1)).expectCompletion(1, SUCCESS);
        // The next is sent once, so there is no doubt any more: its retransmissions do not alternate.
        trace.posts(flushRequest());
        assertTrue(trace.next().isCoveredTwice());
        trace.peerSends(PeerPacket.readOnly(0x101, 0).msn(2)).expectCompletion(2, SUCCESS);
        trace.posts(flushRequest());
        assertTrue(trace.next().isCoveredTwice());
        trace.peerSends(PeerPacket.nakOf(0x102, Syndrome.PSN_SEQUENCE_ERROR));
        assertTrue(trace.next().isCoveredTwice());
    }

    @Test
    @DisplayName("Q16 Q11 both count in max_rd_atomic")
    void bothCountAsReads() {
        Trace trace = Trace.inRts().maxRdAtomic(2).open();
        trace.posts(atomicWriteRequest(), flushRequest(), flushRequest());
        trace.expect(frame(Opcode.RC_ATOMIC_WRITE, 0x100), frame(Opcode.RC_FLUSH, 0x101)).expectNothing();
        trace.peerSends(PeerPacket.readOnly(0x100, 0).msn(1)).expect(frame(Opcode.RC_FLUSH, 0x102)).expectNothing();
    }

    @Test
    @DisplayName("Q16 K8 a peer that drops them: RETRY_EXC_ERR says that it may not know them")
    void aPeerThatDoesNotKnowThemIsNamed() {
        for (WorkRequest request : List.of(atomicWriteRequest(), flushRequest())) {
            Trace trace = Trace.inRts().retryCount(1).open();
            trace.posts(request).advance(2, TimeUnit.SECONDS);
            String why = trace.expectCompletion(1, RETRY_EXC_ERR).explanation();
            assertTrue(why.contains("does not know " + request.operation()), why);
        }
    }

    @Test
    @DisplayName("Q16 what could never be carried out is refused when it is posted")
    void wrongRequestsAreRefused() {
        Trace trace = open();
        List.of(new WorkRequest().atomicWrite(0x5000_0004L, 0x99).add(BASE, 8, KEY), new WorkRequest().atomicWrite(0x5000_0008L, 0x99)
                .add(BASE, 16, KEY), new WorkRequest().atomicWrite(0x5000_0008L, 0x99),
            new WorkRequest().atomicWrite(0x5000_0008L, 0x99).inline(ByteBuffer.allocate(4)),
            new WorkRequest().flush(0, 0x99, 1, 0, FlushLevel.RANGE), new WorkRequest().flush(0, 0x99, 1, 4, FlushLevel.RANGE),
            new WorkRequest().flush(0, 0x99, -1, 1, FlushLevel.RANGE),
            new WorkRequest().flush(0, 0x99, 1L + (1L << 31), 1, FlushLevel.RANGE),
            new WorkRequest().flush(0, 0x99, 1, 1, FlushLevel.RANGE).add(BASE, 8, KEY),
            new WorkRequest().flush(0, 0x99, 1, 1, FlushLevel.RANGE).inline(ByteBuffer.allocate(4)))
            .forEach(request -> assertThrows(IllegalArgumentException.class, () -> trace.pair.postSend(request)));
        trace.expectNothing();
    }

    // The responder: ATOMIC_WRITE.

    @Test
    @DisplayName("R20 eight bytes are written at once; the answer is an empty READ response that counts the message")
    void anAtomicWriteIsExecuted() {
        Trace trace = open();
        trace.peerSends(atomicWrite(0x100).at(BASE + 8)).expect(readOnly(0x100).payload(0).msn(1)).expectNothing();
        trace.expectMemory(8, PeerPacket.payloadOf(0x100, 8)).expectUntouched(0, 8).expectUntouched(16, 8);
    }

    @Test
    @DisplayName("R20 R6 a duplicate is answered again and writes nothing; one that is not remembered is dropped")
    void aDuplicateAtomicWriteIsReplayed() {
        Trace trace = Trace.inRts().access(ALL).maxDestRdAtomic(1).open();
        trace.peerSends(atomicWrite(0x100)).expect(readOnly(0x100).msn(1));
        trace.peerSends(PeerPacket.writeOnly(0x101, 8).ackReq()).expect(ack(0x101));
        trace.peerSends(atomicWrite(0x100)).expect(readOnly(0x100).payload(0).msn(2)).expectNothing();
        trace.expectMemory(0, PeerPacket.payloadOf(0x101, 8));
        trace.peerSends(PeerPacket.read(0x102, 8)).expect(readOnly(0x102));
        trace.peerSends(atomicWrite(0x100)).expectNothing();
        assertEquals(1, trace.dropped(DropReason.DUPLICATE_ATOMIC_UNKNOWN));
        trace.peerSends(atomicWrite(0x102)).expectNothing();
        assertEquals(2, trace.dropped(DropReason.DUPLICATE_ATOMIC_UNKNOWN));
    }

    @Test
    @DisplayName("R20 R1 an ATOMIC_WRITE behind a gap waits for the WRITE before it")
    void anAtomicWriteWaitsForWritesBeforeIt() {
        Trace trace = open();
        trace.peerSends(atomicWrite(0x101)).expect(sequenceNak(0x100)).expectUntouched(0, 8);
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).ackReq()).expect(readOnly(0x101).msn(2)).expect(ack(0x100));
        trace.expectMemory(0, PeerPacket.payloadOf(0x101, 8));
    }

    @Test
    @DisplayName("R20 Invalid Request: another length, a wrong alignment, a queue pair without REMOTE_WRITE, no responder resources")
    void malformedAtomicWritesAreRefused() {
        refused(ALL, AccessFlags.ALL, 8, atomicWrite(0x100).dmaLength(16), INVALID_REQUEST);
        refused(ALL, AccessFlags.ALL, 8, PeerPacket.of(Opcode.RC_ATOMIC_WRITE, 0x100, 4).dmaLength(8), INVALID_REQUEST);
        refused(ALL, AccessFlags.ALL, 8, PeerPacket.of(Opcode.RC_ATOMIC_WRITE, 0x100, 16), INVALID_REQUEST);
        refused(ALL, AccessFlags.ALL, 8, atomicWrite(0x100).at(BASE + 4), INVALID_REQUEST);
        refused(ALL & ~AccessFlags.REMOTE_WRITE, AccessFlags.ALL, 8, atomicWrite(0x100), INVALID_REQUEST);
        refused(ALL, AccessFlags.ALL, 0, atomicWrite(0x100), INVALID_REQUEST);
    }

    @Test
    @DisplayName("R20 Remote Access: an unknown key, a range outside the region, memory without REMOTE_WRITE")
    void atomicWritesWithoutAccessAreRefused() {
        refused(ALL, AccessFlags.ALL, 8, atomicWrite(0x100).key(KEY + 1), REMOTE_ACCESS_ERROR);
        refused(ALL, AccessFlags.ALL, 8, atomicWrite(0x100).at(BASE - 8), REMOTE_ACCESS_ERROR);
        refused(ALL, AccessFlags.ALL, 8, atomicWrite(0x100).at(BASE + (1 << 18) - 4), REMOTE_ACCESS_ERROR);
        refused(ALL, AccessFlags.ALL & ~AccessFlags.REMOTE_WRITE, 8, atomicWrite(0x100), REMOTE_ACCESS_ERROR);
    }

    private static void refused(int access, int regionAccess, int places, PeerPacket packet, int syndrome) {
        Trace trace = Trace.inRts().access(access).regionAccess(regionAccess).maxDestRdAtomic(places).open();
        trace.peerSends(packet).expect(nak(0x100, syndrome).msn(0)).expectNothing();
        trace.expectState(QueuePairState.ERROR).expectUntouched(0, 64);
    }

    @Test
    @DisplayName("R20 an aligned address whose memory is not aligned cannot be written at once: Invalid Request")
    void unalignedMemoryIsRefused() {
        Trace trace = open();
        trace.nextDraws(0x55);
        ByteBuffer odd = ByteBuffer.allocateDirect(64).position(4).slice();
        trace.domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE, 0x9000, odd);
        trace.peerSends(atomicWrite(0x100).at(0x9000).key(0x55)).expect(nak(0x100, INVALID_REQUEST));
    }

    // The responder: FLUSH.

    @Test
    @DisplayName("R21 a range and a whole region are flushed; the address of a region does not matter")
    void aFlushIsAnswered() {
        Trace trace = open();
        trace.peerSends(flush(0x100, 64, FlushType.GLOBAL, RANGE)).expect(readOnly(0x100).payload(0).msn(1));
        trace.peerSends(flush(0x101, 0, FlushType.GLOBAL, RANGE)).expect(readOnly(0x101).msn(2));
        trace.peerSends(flush(0x102, 99, FlushType.GLOBAL, REGION).at(7)).expect(readOnly(0x102).msn(3)).expectNothing();
    }

    @Test
    @DisplayName("R21 R2 a FLUSH waits for the WRITE before it, and leaves before the ACK of the WRITE behind it")
    void aFlushIsOrdered() {
        Trace trace = open();
        trace.peerSends(flush(0x101, 8, FlushType.GLOBAL, RANGE), PeerPacket.writeOnly(0x102, 8).ackReq()).expect(sequenceNak(0x100));
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).ackReq()).expect(readOnly(0x101).msn(2), ack(0x102).msn(3)).expectNothing();
    }

    @Test
    @DisplayName("R21 R6 a duplicate FLUSH is answered again")
    void aDuplicateFlushIsReplayed() {
        Trace trace = open();
        trace.peerSends(flush(0x100, 8, FlushType.GLOBAL, RANGE)).expect(readOnly(0x100).msn(1));
        trace.peerSends(flush(0x100, 8, FlushType.GLOBAL, RANGE)).expect(readOnly(0x100).payload(0).msn(1)).expectNothing();
    }

    @Test
    @DisplayName("R21 R7 FLUSHes beyond max_dest_rd_atomic, which rdma_rxe does not count, are answered in order with the READs; READs are"
        + " counted")
    void moreFlushesThanPlacesAreAnswered() {
        Trace trace = Trace.inRts().access(ALL).maxDestRdAtomic(2).open();
        PeerPacket[] mixed = new PeerPacket[129];
        FrameExpectation[] answers = new FrameExpectation[mixed.length];
        for (int i = 0; i < mixed.length; i++) {
            boolean isRead = i == 1 || i == 3;
            mixed[i] = isRead ? PeerPacket.read(0x100 + i, 8) : flush(0x100 + i, 8, FlushType.GLOBAL, RANGE);
            answers[i] = readOnly(0x100 + i).payload(isRead ? 8 : 0).msn(i + 1);
        }
        trace.peerSendsTogether(mixed).expect(answers).expectNothing();
        trace.peerSends(mixed[128]).expect(readOnly(0x180)).expectNothing();
        trace.peerSendsTogether(PeerPacket.read(0x181, 8), flush(0x182, 8, FlushType.GLOBAL, RANGE), PeerPacket.read(0x183, 8),
            PeerPacket.read(0x184, 8)).expect(readOnly(0x181), readOnly(0x182), readOnly(0x183), nak(0x184, INVALID_REQUEST));
    }

    @Test
    @DisplayName("R21 Invalid Request: undefined types and levels, a payload, a queue pair without the right")
    void malformedFlushesAreRefused() {
        refused(ALL, AccessFlags.ALL, 8, flush(0x100, 8, 0, RANGE), INVALID_REQUEST);
        refused(ALL, AccessFlags.ALL, 8, flush(0x100, 8, 5, RANGE), INVALID_REQUEST);
        refused(ALL, AccessFlags.ALL, 8, flush(0x100, 8, FlushType.GLOBAL, 2), INVALID_REQUEST);
        refused(ALL, AccessFlags.ALL, 8, flush(0x100, 1L + (1L << 31), FlushType.GLOBAL, RANGE), INVALID_REQUEST);
        refused(ALL, AccessFlags.ALL, 8, flush(0x100, 8, FlushType.GLOBAL, RANGE).payload(new byte[8]), INVALID_REQUEST);
        refused(ALL & ~AccessFlags.FLUSH_GLOBAL, AccessFlags.ALL, 8, flush(0x100, 8, FlushType.GLOBAL, RANGE), INVALID_REQUEST);
        refused(ALL, AccessFlags.ALL, 8, flush(0x100, 8, FlushType.PERSISTENT, RANGE), INVALID_REQUEST);
    }

    @Test
    @DisplayName("R21 Remote Access: an unknown key, a range outside the region, memory without the right")
    void flushesWithoutAccessAreRefused() {
        refused(ALL, AccessFlags.ALL, 8, flush(0x100, 8, FlushType.GLOBAL, REGION).key(KEY + 1), REMOTE_ACCESS_ERROR);
        refused(ALL, AccessFlags.ALL, 8, flush(0x100, 1 << 19, FlushType.GLOBAL, RANGE), REMOTE_ACCESS_ERROR);
        refused(ALL, AccessFlags.ALL & ~AccessFlags.FLUSH_GLOBAL, 8, flush(0x100, 8, FlushType.GLOBAL, RANGE), REMOTE_ACCESS_ERROR);
        refused(ALL, AccessFlags.ALL & ~AccessFlags.FLUSH_GLOBAL, 8, flush(0x100, 8, FlushType.GLOBAL, REGION), REMOTE_ACCESS_ERROR);
        refused(ALL | AccessFlags.FLUSH_PERSISTENT, AccessFlags.ALL, 8, flush(0x100, 8, FlushType.ALL, RANGE), REMOTE_ACCESS_ERROR);
    }

    @Test
    @DisplayName("R21 memory that maps no file cannot be registered for persistence")
    void onlyFilesPersist() {
        Trace trace = open();
        String text = assertThrows(IllegalArgumentException.class, () -> trace.domain.register(
            ByteBuffer.allocateDirect(64), AccessFlags.FLUSH_PERSISTENT)).getMessage();
        assertTrue(text.contains("maps no file"), text);
    }

    @Test
    @DisplayName("R21 a FLUSH to persistence forces the pages of a mapped file, of a range and of the region")
    void aFlushForcesAMappedFile(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("store");
        Files.write(path, new byte[16384]);
        Trace trace = Trace.inRts().access(ALL | AccessFlags.FLUSH_PERSISTENT).open();
        trace.nextDraws(0x55);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer first = file.map(FileChannel.MapMode.READ_WRITE, 0, 8192);
            MappedByteBuffer second = file.map(FileChannel.MapMode.READ_WRITE, 8192, 8192);
            MemoryRegion region = trace.domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.FLUSH_PERSISTENT
                | AccessFlags.FLUSH_GLOBAL, 0x9_0000L, first, second);
            assertEquals(0x55, region.rKey());
            trace.peerSends(PeerPacket.writeOnly(0x100, 64).at(0x9_0000L + 8160).key(0x55).ackReq()).expect(ack(0x100));
            trace.peerSends(flush(0x101, 64, FlushType.PERSISTENT, RANGE).at(0x9_0000L + 8160).key(0x55)).expect(readOnly(0x101).msn(2));
            trace.peerSends(flush(0x102, 0, FlushType.ALL, REGION).key(0x55)).expect(readOnly(0x102).msn(3));
            byte[] written = new byte[64];
            try (RandomAccessFile reader = new RandomAccessFile(path.toFile(), "r")) {
                reader.seek(8160);
                reader.readFully(written);
            }
            assertArrayEquals(PeerPacket.payloadOf(0x100, 64), written);
            region.close();
        }
    }
}
