package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.atomicAck;
import static io.rxe.qp.FrameExpectation.nak;
import static io.rxe.qp.FrameExpectation.readFirst;
import static io.rxe.qp.FrameExpectation.readLast;
import static io.rxe.qp.FrameExpectation.readMiddle;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.PeerPacket.compareSwap;
import static io.rxe.qp.PeerPacket.fetchAdd;
import static io.rxe.qp.PeerPacket.read;
import static io.rxe.qp.PeerPacket.sendFirst;
import static io.rxe.qp.PeerPacket.sendLast;
import static io.rxe.qp.PeerPacket.sendMiddle;
import static io.rxe.qp.PeerPacket.sendOnly;
import static io.rxe.qp.PeerPacket.writeFirst;
import static io.rxe.qp.PeerPacket.writeLast;
import static io.rxe.qp.PeerPacket.writeMiddle;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.wire.Syndrome.INVALID_REQUEST;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.counters.NicCounter;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules R4 to R7 and P6: which duplicates are executed again, replayed, or only acknowledged. */
public class DuplicateRequestTest {
    /** For this long an identical READ is taken for a network copy. */
    private static final long COPY_MS = 20;

    @Test
    @DisplayName("R4 a duplicate SEND takes no receive request and is acknowledged, AckReq or not")
    void aDuplicateSendIsNotExecuted() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64, 64);
        trace.peerSends(sendOnly(0x100, 8).ackReq()).expect(ack(0x100).msn(1));
        trace.expectCompletion(100, SUCCESS);
        trace.peerSends(sendOnly(0x100, 8)).expect(ack(0x100).msn(1)).expectNothing();
        trace.expectNoCompletion();
        trace.peerSends(sendOnly(0x101, 8).ackReq()).expect(ack(0x101).msn(2));
        trace.expectCompletion(101, SUCCESS);
    }

    @Test
    @DisplayName("R4 a duplicate WRITE does not write again, and the expected PSN stays")
    void aDuplicateWriteIsNotExecuted() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x100));
        byte[] later = {1, 2, 3, 4, 5, 6, 7, 8};
        trace.memory.put(0, later);
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x100));
        trace.expectMemory(0, later);
        trace.peerSends(writeOnly(0x101, 8).ackReq()).expect(ack(0x101).msn(2));
    }

    @Test
    @DisplayName("R4 the acknowledgement carries the PSN of the most recently completed request")
    void aLateDuplicateIsAnsweredWithTheLatestPsn() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 8), writeOnly(0x101, 8), writeOnly(0x102, 8)).expectNothing();
        trace.peerSends(writeOnly(0x100, 8)).expect(ack(0x102).msn(3));
    }

    @Test
    @DisplayName("R4 K1 the acknowledgement never carries the PSN of a READ or an atomic, which a kernel would take for its success")
    void aDuplicateIsNotAcknowledgedAtAReadOrAtomic() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 8), read(0x101, 2000), fetchAdd(0x103, 1));
        trace.takeAll();
        trace.peerSends(writeOnly(0x100, 8)).expect(ack(0x100).msn(3)).expectNothing();
    }

    @Test
    @DisplayName("R4 K1 T11 before the first SEND or WRITE only a keep-alive is acknowledged, with the PSN before the first request")
    void aDuplicateBeforeTheFirstRequestIsAcknowledgedBeforeIt() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0xFF, 8).ackReq()).expect(ack(0xFF).msn(0));
        trace.peerSends(read(0x100, 8)).expect(readOnly(0x100));
        trace.peerSends(writeOnly(0x100, 0).ackReq()).expect(ack(0xFF).msn(1));
        trace.peerSends(writeOnly(0xFE, 8).ackReq()).expectNothing();
        trace.expectUntouched(0, 8);
    }

    @Test
    @DisplayName("R4 a duplicate in the middle of a message does not disturb it")
    void aDuplicateInsideAMessageChangesNothing() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(4096);
        trace.peerSends(sendFirst(0x100, 1024), sendMiddle(0x101, 1024)).expectNothing();
        trace.peerSends(sendFirst(0x100, 1024)).expect(ack(0x101).msn(0));
        trace.peerSends(writeOnly(0xFF, 8)).expect(ack(0x101).msn(0));
        trace.peerSends(sendLast(0x102, 5).ackReq()).expect(ack(0x102).msn(1));
        assertEquals(2053, trace.expectCompletion(100, SUCCESS).byteLength());
        trace.expectMemory(1024, PeerPacket.payloadOf(0x101, 1024)).expectMemory(2048, PeerPacket.payloadOf(0x102, 5));
    }

    @Test
    @DisplayName("P6 a requester may go back to the start of its message or to the point of failure")
    void bothWaysOfGoingBackWork() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeFirst(0x100, 1024, 3000), writeMiddle(0x101, 1024).ackReq()).expect(ack(0x101).msn(0));
        trace.peerSends(writeFirst(0x100, 1024, 3000), writeMiddle(0x101, 1024), writeLast(0x102, 952).ackReq());
        trace.expect(ack(0x101), ack(0x101), ack(0x102).msn(1)).expectNothing();
        trace.peerSends(writeFirst(0x103, 1024, 3000)).expectNothing();
        trace.peerSends(writeMiddle(0x104, 1024), writeLast(0x105, 952).ackReq()).expect(ack(0x105).msn(2)).expectNothing();
        trace.expectMemory(2048, PeerPacket.payloadOf(0x105, 952)).expectUntouched(3000, 200);
    }

    @Test
    @DisplayName("R5 a duplicate READ is executed again from memory as it is now")
    void aDuplicateReadReadsAgain() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 8)).expect(readOnly(0x100).bytes(Trace.memoryBytes(0, 8)).msn(1));
        byte[] later = {1, 2, 3, 4, 5, 6, 7, 8};
        trace.memory.put(0, later);
        trace.advance(COPY_MS, TimeUnit.MILLISECONDS);
        trace.peerSends(read(0x100, 8)).expect(readOnly(0x100).bytes(later)).expectNothing();
    }

    @Test
    @DisplayName("R5 a duplicate READ may begin inside the original; its responses carry its own PSNs")
    void aDuplicateReadMayBeginInside() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 3500));
        trace.expect(readFirst(0x100), readMiddle(0x101), readMiddle(0x102), readLast(0x103)).expectNothing();
        trace.peerSends(read(0x102, 3500 - 2048).at(Trace.BASE + 2048));
        trace.expect(readFirst(0x102).bytes(Trace.memoryBytes(2048, 1024)),
            readLast(0x103).bytes(Trace.memoryBytes(3072, 3500 - 3072))).expectNothing();
        trace.peerSends(read(0x101, 1024).at(Trace.BASE + 1024));
        trace.expect(readOnly(0x101).bytes(Trace.memoryBytes(1024, 1024))).expectNothing();
    }

    @Test
    @DisplayName("R5 P3 a duplicate READ across the wrap of the PSN")
    void aDuplicateReadAcrossTheWrap() {
        Trace trace = Trace.inRts().receivePsn(0xFFFFFF).open();
        trace.peerSends(read(0xFFFFFF, 3000)).expect(readFirst(0xFFFFFF), readMiddle(0), readLast(1));
        trace.peerSends(read(0, 3000 - 1024).at(Trace.BASE + 1024)).expect(readFirst(0), readLast(1)).expectNothing();
        trace.peerSends(writeOnly(2, 8).ackReq()).expect(ack(2).msn(2));
    }

    @Test
    @DisplayName("R5 key, address and length must lie within the original request, else the duplicate is dropped")
    void aDuplicateReadBeyondTheOriginalIsDropped() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 3000).at(Trace.BASE + 4096)).expect(readFirst(0x100), readMiddle(0x101), readLast(0x102));
        PeerPacket[] wrong = {
            read(0x100, 3000).at(Trace.BASE + 4096).key(0xBAD),
            read(0x100, 3000).at(Trace.BASE + 4095),
            read(0x100, 3001).at(Trace.BASE + 4096),
            read(0x100, 3000).at(Trace.BASE + 4097),
            read(0x101, 2048).at(Trace.BASE + 4096 + 1024),
            read(0x101, 3000).at(Trace.BASE + 4096),
            read(0x101, 1).at(Trace.BASE + 4096 + 3000),
            read(0x100, 0xFFFF_FFFFL).at(Trace.BASE + 4096),
            read(0x100, 8).at(-8),
            read(0x0FF, 8).at(Trace.BASE + 4096),
        };
        trace.peerSends(wrong).expectNothing();
        assertEquals(wrong.length, trace.dropped(DropReason.DUPLICATE_READ_MISMATCH));
        trace.expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("R5 R3 a late copy of a READ whose memory was deregistered since is dropped without effect")
    void aLateCopyOfAReadOfGoneMemoryIsDropped() {
        Trace trace = Trace.inRts().open();
        trace.nextDraws(0x5151);
        MemoryRegion window = trace.domain.register(AccessFlags.REMOTE_READ, 0x9000, ByteBuffer.allocateDirect(4096));
        trace.peerSends(read(0x100, 2000).at(0x9000).key(0x5151)).expect(readFirst(0x100), readLast(0x101));
        window.close();
        trace.advance(COPY_MS, TimeUnit.MILLISECONDS);
        trace.peerSends(read(0x100, 2000).at(0x9000).key(0x5151)).expectNothing();
        trace.expectNoEvent().expectState(QueuePairState.RTS);
        trace.peerSends(writeOnly(0x102, 8).ackReq()).expect(ack(0x102).msn(2));
    }

    @Test
    @DisplayName("R5 a duplicate READ with AckReq inverted gets a response at once; an identical one within 1 ms does not")
    void aCopyMadeByTheNetworkIsNotAnswered() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 8)).expect(readOnly(0x100));
        trace.peerSends(read(0x100, 8)).expectNothing();
        assertEquals(1, trace.dropped(DropReason.NETWORK_COPY));
        trace.peerSends(read(0x100, 8).noAckReq()).expect(readOnly(0x100)).expectNothing();
    }

    @Test
    @DisplayName("R5 Q4 a READ repeated bit for bit after a later response has left gets a response: it answers an implied NAK")
    void aReadRepeatedAfterAnImpliedNakIsAnswered() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 2000)).expect(readFirst(0x100), readLast(0x101));
        trace.peerSends(writeOnly(0x102, 8).ackReq()).expect(ack(0x102));
        trace.peerSends(read(0x100, 2000)).expect(readFirst(0x100), readLast(0x101)).expectNothing();
        assertEquals(0, trace.dropped(DropReason.NETWORK_COPY));
    }

    @Test
    @DisplayName("R5 T4 a READ repeated bit for bit after the shortest ACK timeout, 1.05 ms, gets a response")
    void aReadRepeatedByTheShortestTimerIsAnswered() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 8)).expect(readOnly(0x100));
        trace.advanceNs(4096L << 8);
        trace.peerSends(read(0x100, 8)).expect(readOnly(0x100)).expectNothing();
    }

    @Test
    @DisplayName("R5 the second copy of a READ gets a response: a peer with a short timeout recovers when responses are lost")
    void theSecondCopyIsAnswered() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 8)).expect(readOnly(0x100));
        trace.peerSends(read(0x100, 8)).expectNothing();
        trace.peerSends(read(0x100, 8)).expect(readOnly(0x100)).expectNothing();
        trace.peerSends(read(0x100, 8)).expectNothing();
        assertEquals(2, trace.dropped(DropReason.NETWORK_COPY));
    }

    @Test
    @DisplayName("R5 G1 a known peer gets what it misses, and new READs, in the order of its requests")
    void missingPartsLeaveInOrder() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 5000).marked());
        trace.takeAll();
        trace.sink.room(1);
        trace.peerSends(read(0x105, 2000).marked()).expect(readFirst(0x105));
        trace.peerSends(part(0x103, 1024, 3), read(0x107, 8).marked(), part(0x101, 1024, 1)).expectNothing();
        trace.sink.room(100);
        trace.run().expect(readLast(0x106), readOnly(0x103), readOnly(0x107), readOnly(0x101)).expectNothing();
    }

    @Test
    @DisplayName("R5 an unknown peer gets new READs first")
    void toOthersMissingPartsLeaveLast() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 5000));
        trace.takeAll();
        trace.peerSendsTogether(read(0x105, 8), read(0x103, 1024).at(Trace.BASE + 3072)).expect(readOnly(0x105), readOnly(0x103));
    }

    /** A known peer requests the part of the READ of PSN 100 that begins at a PSN. */
    private static PeerPacket part(int psn, int length, int index) {
        return read(psn, length).at(Trace.BASE + 1024L * index).marked();
    }

    @Test
    @DisplayName("R5 G1 the duplicate of a known peer gets no response while all it requests has yet to leave, and one otherwise")
    void onlyWhatHasYetToLeaveIsNotAnswered() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(2);
        trace.peerSends(read(0x100, 5000).marked()).expect(readFirst(0x100), readMiddle(0x101));
        trace.peerSends(part(0x102, 2048, 2), part(0x101, 2048, 1), part(0x101, 2048, 1), part(0x102, 1024, 2));
        assertEquals(3, trace.dropped(DropReason.NETWORK_COPY));
        trace.sink.room(4);
        trace.run().expect(readMiddle(0x102), readMiddle(0x103), readLast(0x104), readFirst(0x101));
        trace.peerSends(part(0x101, 2048, 1), part(0x102, 1024, 2));
        assertEquals(4, trace.dropped(DropReason.NETWORK_COPY));
        trace.sink.room(100);
        trace.run().expect(readLast(0x102), readFirst(0x101), readLast(0x102)).expectNothing();
        trace.peerSends(part(0x101, 2048, 1), part(0x101, 2048, 1));
        trace.expect(readFirst(0x101), readLast(0x102), readFirst(0x101), readLast(0x102)).expectNothing();
    }

    @Test
    @DisplayName("G7 a READ that its peer sends several times gets its responses once; behind a gap it is no duplicate")
    void aRepeatedReadIsAnsweredOnce() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(part(0x100, 2048, 0).repeated()).expect(readFirst(0x100), readLast(0x101));
        trace.peerSends(part(0x100, 2048, 0).repeated()).expectNothing();
        assertEquals(1, trace.dropped(DropReason.REPEATED_READ));
        trace.peerSendsTogether(part(0x103, 1024, 0).repeated(), part(0x103, 1024, 0).repeated());
        assertEquals(2, trace.dropped(DropReason.REPEATED_READ), "nor is one that is kept");
        assertEquals(0, trace.counter(NicCounter.DUPLICATE_REQUEST), "the peer meant it");
        trace.expect(FrameExpectation.ack(0xFF).report("102+1 end 104", 0)).expectNothing();
        trace.peerSends(part(0x102, 1024, 0).repeated()).expect(readOnly(0x102), readOnly(0x103)).expectNothing();
        trace.peerSends(part(0x102, 1024, 0)).expect(readOnly(0x102)).expectNothing();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("R5 G1 16 duplicate READs wait for their responses, of a known peer 256; further ones are dropped")
    void duplicatesAreBounded(boolean isKnown) {
        int most = isKnown ? 256 : 16;
        Trace trace = Trace.inRts().mtu(PathMtu.MTU_256).memoryBytes(1 << 17).open();
        PeerPacket original = read(0x100, 300 * 256);
        trace.peerSends(isKnown ? original.marked() : original);
        trace.takeAll();
        trace.sink.room(0);
        for (int i = 0; i < most + 2; i++) {
            trace.peerSends(read(0x100 + i, 256).at(Trace.BASE + i * 256L));
        }
        assertEquals(2, trace.dropped(DropReason.REPLAY_QUEUE_FULL));
        trace.sink.room(1000);
        trace.run();
        for (int i = 0; i < most; i++) {
            trace.expect(readOnly(0x100 + i).bytes(Trace.memoryBytes(i * 256, 256)));
        }
        trace.expectNothing();
    }

    @Test
    @DisplayName("R6 a duplicate atomic is never executed again: the saved original value is replayed")
    void aDuplicateAtomicIsReplayed() {
        Trace trace = Trace.inRts().open();
        trace.memory.putLong(0, 40);
        trace.peerSends(fetchAdd(0x100, 2)).expect(atomicAck(0x100, 40).msn(1));
        trace.peerSends(compareSwap(0x101, 42, 99)).expect(atomicAck(0x101, 42).msn(2));
        trace.peerSends(fetchAdd(0x100, 2), compareSwap(0x101, 42, 99), fetchAdd(0x100, 7));
        trace.expect(atomicAck(0x100, 40), atomicAck(0x101, 42), atomicAck(0x100, 40)).expectNothing();
        assertEquals(99, trace.memory.getLong(0));
        trace.peerSends(compareSwap(0x102, 0, 5)).expect(atomicAck(0x102, 99).msn(3));
        assertEquals(99, trace.memory.getLong(0));
    }

    @Test
    @DisplayName("R6 an atomic that is no longer remembered is dropped")
    void anUnknownAtomicIsDropped() {
        Trace trace = Trace.inRts().maxDestRdAtomic(2).open();
        trace.peerSends(fetchAdd(0x100, 1), fetchAdd(0x101, 1), fetchAdd(0x102, 1));
        trace.takeAll();
        long value = trace.memory.getLong(0);
        trace.peerSends(fetchAdd(0x100, 1)).expectNothing();
        assertEquals(1, trace.dropped(DropReason.DUPLICATE_ATOMIC_UNKNOWN));
        trace.peerSends(fetchAdd(0x101, 1), fetchAdd(0x102, 1)).expect(atomicAck(0x101, value - 2), atomicAck(0x102, value - 1));
        assertEquals(value, trace.memory.getLong(0));
    }

    @Test
    @DisplayName("R7 READs and atomics share one ring; a complete entry is evicted for a new one")
    void completeEntriesAreEvictedOldestFirst() {
        Trace trace = Trace.inRts().maxDestRdAtomic(2).open();
        trace.peerSends(fetchAdd(0x100, 1), read(0x101, 8), fetchAdd(0x102, 1));
        trace.takeAll();
        trace.advance(COPY_MS, TimeUnit.MILLISECONDS);
        trace.peerSends(fetchAdd(0x100, 1)).expectNothing();
        trace.peerSends(read(0x101, 8)).expect(readOnly(0x101));
        trace.peerSends(read(0x103, 8)).expect(readOnly(0x103));
        trace.peerSends(read(0x101, 8)).expectNothing();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    @DisplayName("R7 more READs and atomics at once than max_dest_rd_atomic: Invalid Request NAK, QP_ACCESS_ERR event")
    void tooManyAtOnceAreRefused(int places) {
        Trace trace = Trace.inRts().maxDestRdAtomic(places).open();
        trace.sink.room(0);
        for (int i = 0; i <= places; i++) {
            trace.peerSends(i % 2 == 0 ? read(0x100 + i, 8) : fetchAdd(0x100 + i, 1));
        }
        trace.expectState(QueuePairState.ERROR).expectEvent(AsyncEvent.Type.QP_ACCESS_ERR);
        trace.expectNoEvent();
        trace.sink.room(100);
        trace.run();
        for (int i = 0; i < places; i++) {
            assertEquals(0x100 + i, trace.next().psn(), "the READs and atomics before get their responses");
        }
        trace.expect(nak(0x100 + places, INVALID_REQUEST).msn(places)).expectNothing();
    }

    @Test
    @DisplayName("R7 max_dest_rd_atomic 0 takes no READ and no atomic")
    void noPlaceAtAll() {
        Trace trace = Trace.inRts().maxDestRdAtomic(0).open();
        trace.peerSends(read(0x100, 0)).expect(nak(0x100, INVALID_REQUEST)).expectNothing();
        trace.expectEvent(AsyncEvent.Type.QP_ACCESS_ERR);
    }

    @Test
    @DisplayName("R18 a READ response that finds the sink full resumes where it stopped")
    void aReadReplyIsNeverHalfLost() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(0);
        trace.peerSends(read(0x100, 5000)).expectNothing();
        byte[] seen = new byte[0];
        for (int i = 0; i < 5; i++) {
            trace.sink.room(1);
            trace.run();
            SentFrame frame = trace.next();
            assertEquals(0x100 + i, frame.psn());
            seen = append(seen, frame.payload());
            trace.expectNothing();
        }
        assertEquals(-1, Arrays.mismatch(Trace.memoryBytes(0, 5000), seen));
    }

    private static byte[] append(byte[] head, byte[] tail) {
        byte[] all = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, all, head.length, tail.length);
        return all;
    }

    @Test
    @DisplayName("R18 a full sink loses neither an AtomicAck nor an acknowledgement")
    void aFullSinkLosesNoAnswer() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(0);
        trace.memory.putLong(0, 7);
        trace.peerSends(fetchAdd(0x100, 1), writeOnly(0x101, 8).at(Trace.BASE + 64).ackReq(), fetchAdd(0x100, 1));
        assertEquals(8, trace.memory.getLong(0));
        trace.sink.room(1);
        trace.run().expect(atomicAck(0x100, 7)).expectNothing();
        trace.sink.room(1);
        trace.run().expect(ack(0x101)).expectNothing();
    }

    /** Counts frames and ACKs, and keeps none. */
    private static final class CountingSink implements PacketSink {
        private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[8192]);
        private long frames;
        private long acks;

        @Override
        public int claim(Flow flow, int lengthBytes) {
            return 0;
        }

        @Override
        public MutableDirectBuffer buffer() {
            return buffer;
        }

        @Override
        public void commit() {
            frames++;
            acks += Bth.opcode(buffer, 0) == Opcode.RC_ACKNOWLEDGE.code() ? 1 : 0;
        }
    }

    /** READs of 2^22 responses lie behind the SEND with PSN 0x100, whose completion is not acknowledged. */
    private static CountingSink readMuchBehindASend(Trace trace, PeerPacket send) {
        ByteBuffer[] buffers = Collections.nCopies(1024, ByteBuffer.allocateDirect(1 << 20)).toArray(new ByteBuffer[0]);
        MemoryRegion large = trace.domain.register(AccessFlags.REMOTE_READ, 0x4000_0000L, buffers);
        trace.postsReceives(64);
        trace.arrives(Trace.FROM_PEER, send);
        trace.arrives(Trace.FROM_PEER, read(0x101, large.length()).key(large.rKey()).at(large.address()));
        CountingSink sink = new CountingSink();
        int work = 1;
        while (work > 0) {
            work = trace.engine.poll(trace.nowNs(), sink);
        }
        assertEquals(large.length() / 256, sink.frames - sink.acks);
        trace.expectCompletion(100, SUCCESS);
        return sink;
    }

    @Test
    @DisplayName("R4 K11 an ACK that waits for 2^22 READ responses never leaves: the peer could take its PSN for one not sent yet")
    void anAckBehindManyResponsesIsTooOld() {
        Trace trace = Trace.inRtr().mtu(PathMtu.MTU_256).open();
        assertEquals(0, readMuchBehindASend(trace, sendOnly(0x100, 8).ackReq()).acks);
    }

    @Test
    @DisplayName("R4 K11 a duplicate is not acknowledged with a PSN that lies 2^22 back")
    void aDuplicateGetsNoAckThatIsTooOld() {
        Trace trace = Trace.inRtr().mtu(PathMtu.MTU_256).hostilePeer().open();
        readMuchBehindASend(trace, sendOnly(0x100, 8));
        trace.peerSends(writeOnly(0x100 + (1 << 22), 0).dmaLength(0).ackReq()).expectNothing();
        assertEquals(1, trace.dropped(DropReason.PSN_OUT_OF_WINDOW));
        trace.postsReceives(64).peerSends(sendOnly(0x101 + (1 << 22), 8).ackReq()).expect(ack(0x101 + (1 << 22)));
    }
}
