package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.nak;
import static io.rxe.qp.FrameExpectation.readFirst;
import static io.rxe.qp.FrameExpectation.readLast;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.FrameExpectation.rnr;
import static io.rxe.qp.FrameExpectation.sequenceNak;
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
import static io.rxe.qp.PeerPacket.writeOnlyImmediate;
import static io.rxe.verbs.CompletionStatus.LOC_ACCESS_ERR;
import static io.rxe.verbs.CompletionStatus.LOC_LEN_ERR;
import static io.rxe.verbs.CompletionStatus.LOC_PROT_ERR;
import static io.rxe.verbs.CompletionStatus.REM_INV_REQ_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.verbs.CompletionStatus.WR_FLUSH_ERR;
import static io.rxe.wire.Syndrome.INVALID_REQUEST;
import static io.rxe.wire.Syndrome.REMOTE_ACCESS_ERROR;
import static io.rxe.wire.Syndrome.REMOTE_OPERATIONAL_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules R8 to R14 and R17: requests that are refused, and the effect on both sides. */
class RefusedRequestTest {
    private static final int MTU = 1024;

    /** Requests that come first, then one that is refused, and the NAK's PSN. */
    private record NakReason(String name, int syndrome, PeerPacket... packets) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<NakReason> invalidRequests() {
        return List.of(
            new NakReason("middle without first", INVALID_REQUEST, sendMiddle(0x100, MTU)),
            new NakReason("last without first", INVALID_REQUEST, sendLast(0x100, 8)),
            new NakReason("write middle without first", INVALID_REQUEST, writeMiddle(0x100, MTU)),
            new NakReason("write last without first", INVALID_REQUEST, writeLast(0x100, 8)),
            new NakReason("first after first", INVALID_REQUEST, writeFirst(0x100, MTU, 3000), writeFirst(0x101, MTU, 3000)),
            new NakReason("only inside a message: lost last", INVALID_REQUEST, writeFirst(0x100, MTU, 3000), writeOnly(0x101, 8)),
            new NakReason("read inside a message", INVALID_REQUEST, writeFirst(0x100, MTU, 3000), read(0x101, 8)),
            new NakReason("atomic inside a message", INVALID_REQUEST, writeFirst(0x100, MTU, 3000), fetchAdd(0x101, 1)),
            new NakReason("send middle inside a write", INVALID_REQUEST, writeFirst(0x100, MTU, 3000), sendMiddle(0x101, MTU)),
            new NakReason("first shorter than the MTU", INVALID_REQUEST, writeFirst(0x100, MTU - 4, 3000)),
            new NakReason("first with pad", INVALID_REQUEST, writeFirst(0x100, MTU - 1, 3000)),
            new NakReason("first longer than the MTU", INVALID_REQUEST, writeFirst(0x100, MTU + 4, 3000)),
            new NakReason("middle shorter than the MTU", INVALID_REQUEST, writeFirst(0x100, MTU, 3000), writeMiddle(0x101, MTU - 4)),
            new NakReason("middle with pad", INVALID_REQUEST, writeFirst(0x100, MTU, 3000), writeMiddle(0x101, MTU - 3)),
            new NakReason("empty last", INVALID_REQUEST, writeFirst(0x100, MTU, 1500), writeLast(0x101, 0)),
            new NakReason("last longer than the MTU", INVALID_REQUEST, writeFirst(0x100, MTU, MTU + MTU + 4),
                writeLast(0x101, MTU + 4)),
            new NakReason("only longer than the MTU", INVALID_REQUEST, writeOnly(0x100, MTU + 4)),
            new NakReason("write only shorter than DMALen", INVALID_REQUEST, writeOnly(0x100, 8).dmaLength(9)),
            new NakReason("write only longer than DMALen", INVALID_REQUEST, writeOnly(0x100, 8).dmaLength(7)),
            new NakReason("write first of nothing, with payload", INVALID_REQUEST, writeFirst(0x100, MTU, 0)),
            new NakReason("write first that holds all", INVALID_REQUEST, writeFirst(0x100, MTU, MTU)),
            new NakReason("write last longer than DMALen", INVALID_REQUEST, writeFirst(0x100, MTU, 1500), writeLast(0x101, 477)),
            new NakReason("write last shorter than DMALen", INVALID_REQUEST, writeFirst(0x100, MTU, 1500), writeLast(0x101, 475)),
            new NakReason("write middle that holds all", INVALID_REQUEST, writeFirst(0x100, MTU, 2048), writeMiddle(0x101, MTU)),
            new NakReason("DMALen of a write beyond 2^31", INVALID_REQUEST, writeFirst(0x100, MTU, 0x8000_0001L)),
            new NakReason("DMALen of a read beyond 2^31", INVALID_REQUEST, read(0x100, 0x8000_0001L)),
            new NakReason("atomic not aligned to 8", INVALID_REQUEST, fetchAdd(0x100, 1).at(Trace.BASE + 4)),
            new NakReason("compare and swap not aligned to 8", INVALID_REQUEST, compareSwap(0x100, 1, 2).at(Trace.BASE + 1)));
    }

    static List<NakReason> accessErrors() {
        long end = Trace.BASE + (1 << 18);
        return List.of(
            new NakReason("unknown key, write", REMOTE_ACCESS_ERROR, writeOnly(0x100, 8).key(0xBAD)),
            new NakReason("unknown key, read", REMOTE_ACCESS_ERROR, read(0x100, 8).key(0xBAD)),
            new NakReason("unknown key, atomic", REMOTE_ACCESS_ERROR, fetchAdd(0x100, 8).key(0xBAD)),
            new NakReason("wrong low byte of the key", REMOTE_ACCESS_ERROR, writeOnly(0x100, 8).key(Trace.KEY ^ 1)),
            new NakReason("one byte past the end, write", REMOTE_ACCESS_ERROR, writeOnly(0x100, 8).at(end - 7)),
            new NakReason("one byte past the end, read", REMOTE_ACCESS_ERROR, read(0x100, 8).at(end - 7)),
            new NakReason("one byte before the start", REMOTE_ACCESS_ERROR, writeOnly(0x100, 8).at(Trace.BASE - 1)),
            new NakReason("atomic past the end", REMOTE_ACCESS_ERROR, fetchAdd(0x100, 1).at(end)),
            new NakReason("atomic half past the end", REMOTE_ACCESS_ERROR, fetchAdd(0x100, 1).at(end - 4)),
            new NakReason("a range that overflows 64 bits", REMOTE_ACCESS_ERROR, read(0x100, 0x8000_0000L).at(-16)),
            new NakReason("an address near 2^64", REMOTE_ACCESS_ERROR, writeOnly(0x100, 8).at(-4)),
            new NakReason("the whole of a long write counts at its first packet", REMOTE_ACCESS_ERROR,
                writeFirst(0x100, MTU, 2048).at(end - 2047)),
            new NakReason("2^31 bytes", REMOTE_ACCESS_ERROR, read(0x100, 0x8000_0000L)));
    }

    @ParameterizedTest
    @MethodSource("invalidRequests")
    @DisplayName("R9 R13 Invalid Request NAK, QP_REQ_ERR event, QP to ERROR, nothing executed, later requests dropped")
    void invalidRequestsAreRefused(NakReason refusal) {
        Trace trace = Trace.inRts().open();
        expectRefusal(trace, refusal);
        String why = trace.expectEvent(AsyncEvent.Type.QP_REQ_ERR).explanation();
        assertEquals(refusal.name().contains("not aligned"), why.contains("atomic operations need addresses that are multiples of 8"), why);
        trace.expectNoEvent();
    }

    @ParameterizedTest
    @MethodSource("accessErrors")
    @DisplayName("R10 R13 Remote Access NAK, QP_ACCESS_ERR event, QP to ERROR, nothing executed, later requests dropped")
    void accessErrorsAreRefused(NakReason refusal) {
        Trace trace = Trace.inRts().open();
        expectRefusal(trace, refusal);
        trace.expectEvent(AsyncEvent.Type.QP_ACCESS_ERR);
        trace.expectNoEvent();
    }

    private static void expectRefusal(Trace trace, NakReason refusal) {
        for (PeerPacket packet : refusal.packets()) {
            trace.peerSends(packet.ackReq());
        }
        int last = 0x100 + refusal.packets().length - 1;
        for (int psn = 0x100; psn < last; psn++) {
            trace.expect(ack(psn).msn(0));
        }
        trace.expect(nak(last, refusal.syndrome()).msn(0)).expectNothing();
        trace.expectState(QueuePairState.ERROR);
        trace.peerSends(writeOnly(last, 8).at(Trace.BASE + 8192).ackReq(), writeOnly(last + 1, 8).at(Trace.BASE + 8192).ackReq());
        trace.expectNothing().expectUntouched(8192, 8);
        assertEquals(2, trace.dropped(DropReason.QUEUE_PAIR_ERROR_STATE));
        if (refusal.packets().length == 1) {
            trace.expectUntouched(0, trace.memory.capacity());
        }
    }

    @Test
    @DisplayName("R9 operations that the access flags do not allow: Invalid Request NAK, also for zero bytes")
    void classesThatAreNotEnabledAreRefused() {
        int all = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
        List<PeerPacket> packets = List.of(writeOnly(0x100, 8), writeOnly(0x100, 0), writeOnlyImmediate(0x100, 8), read(0x100, 8),
            read(0x100, 0), fetchAdd(0x100, 1), compareSwap(0x100, 1, 2));
        int[] missing = {AccessFlags.REMOTE_WRITE, AccessFlags.REMOTE_WRITE, AccessFlags.REMOTE_WRITE, AccessFlags.REMOTE_READ,
            AccessFlags.REMOTE_READ, AccessFlags.REMOTE_ATOMIC, AccessFlags.REMOTE_ATOMIC};
        for (int i = 0; i < missing.length; i++) {
            Trace trace = Trace.inRts().access(all & ~missing[i]).open();
            trace.postsReceives(64);
            trace.peerSends(packets.get(i)).expect(nak(0x100, INVALID_REQUEST)).expectNothing();
            trace.expectEvent(AsyncEvent.Type.QP_REQ_ERR);
        }
    }

    @Test
    @DisplayName("R9 undefined opcodes are dropped and counted, as by a kernel: the length of their headers is not known")
    void undefinedOpcodesAreDropped() {
        Trace trace = Trace.inRts().hostilePeer().open();
        for (int code : new int[] {0x15, 0x18, 0x1B, 0x1E, 0x1F, 0x82, 0xFF}) {
            trace.peerSends(PeerPacket.ofCode(code, 0x100, 64).ackReq()).expectNothing();
        }
        assertEquals(7, trace.dropped(DropReason.UNKNOWN_OPCODE));
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x100)).expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("R10 a key of another protection domain")
    void aKeyOfAnotherDomainIsRefused() {
        Trace trace = Trace.inRts().open();
        trace.nextDraws(0x5151);
        trace.nic.allocateProtectionDomain().register(AccessFlags.ALL, Trace.BASE, ByteBuffer.allocateDirect(64));
        trace.peerSends(writeOnly(0x100, 8).key(0x5151)).expect(nak(0x100, REMOTE_ACCESS_ERROR)).expectNothing();
    }

    @Test
    @DisplayName("R10 access the region does not grant")
    void accessTheRegionDoesNotGrantIsRefused() {
        int[] granted = {AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC,
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC,
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ};
        List<PeerPacket> packets = List.of(writeOnly(0x100, 8), read(0x100, 8), fetchAdd(0x100, 1));
        for (int i = 0; i < granted.length; i++) {
            Trace trace = Trace.inRts().regionAccess(granted[i]).open();
            trace.peerSends(packets.get(i)).expect(nak(0x100, REMOTE_ACCESS_ERROR)).expectUntouched(0, 64);
        }
    }

    @Test
    @DisplayName("R10 a zero-length READ or WRITE needs no key")
    void zeroLengthNeedsNoKey() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64);
        trace.peerSends(writeOnly(0x100, 0).key(0xBAD).at(-1).ackReq()).expect(ack(0x100).msn(1));
        trace.peerSends(read(0x101, 0).key(0xBAD).at(-1)).expect(readOnly(0x101).payload(0).msn(2));
        trace.peerSends(writeOnlyImmediate(0x102, 0).key(0xBAD).at(-1).ackReq()).expect(ack(0x102).msn(3));
        assertEquals(0, trace.expectCompletion(100, SUCCESS).byteLength());
    }

    @Test
    @DisplayName("R10 the exact end of a region is inside")
    void theExactEndIsInside() {
        Trace trace = Trace.inRts().open();
        int end = trace.memory.capacity();
        trace.peerSends(writeOnly(0x100, 8).at(Trace.BASE + end - 8).ackReq(), fetchAdd(0x101, 1).at(Trace.BASE + end - 8));
        trace.expect(ack(0x100).msn(1)).next();
        trace.peerSends(read(0x102, 1024).at(Trace.BASE + end - 1024)).expect(readOnly(0x102).payload(1024));
    }

    @Test
    @DisplayName("R10 SEND with invalidate of a key that may not be invalidated")
    void invalidatingAnUnknownKeyIsRefused() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64, 64);
        trace.peerSends(PeerPacket.of(Opcode.RC_SEND_ONLY_WITH_INVALIDATE, 0x100, 8).key(0xBAD).ackReq());
        trace.expect(nak(0x100, REMOTE_ACCESS_ERROR)).expectNothing();
        trace.expectCompletion(100, LOC_ACCESS_ERR);
        trace.expectCompletion(101, WR_FLUSH_ERR);
    }

    @Test
    @DisplayName("R8 no receive request for a SEND: RNR NAK with its PSN and min_rnr_timer; nothing is consumed")
    void noReceiveRequestForASend() {
        Trace trace = Trace.inRts().minRnrTimer(7).open();
        trace.peerSends(sendOnly(0x100, 8).ackReq()).expect(rnr(0x100, 7).msn(0)).expectNothing();
        trace.peerSends(sendOnly(0x100, 8).ackReq()).expect(rnr(0x100, 7).msn(0)).expectNothing();
        trace.postsReceives(64);
        trace.peerSends(sendOnly(0x100, 8).ackReq()).expect(ack(0x100).msn(1)).expectNothing();
        trace.expectCompletion(100, SUCCESS);
        trace.expectNoEvent().expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("R8 R16 NAKs in excess of the rate limit are delayed, not lost")
    void naksAreLimited() {
        Trace trace = Trace.inRts().open();
        for (int i = 0; i < 2000; i++) {
            trace.peerSends(sendOnly(0x100, 8).ackReq());
        }
        assertEquals(1000, trace.takeAll().size());
        trace.advanceNs(99_999).expectNothing();
        trace.advanceNs(1).expect(rnr(0x100, 12)).expectNothing();
        trace.postsReceives(64);
        trace.peerSends(sendOnly(0x100, 8).ackReq()).expect(ack(0x100).msn(1)).expectNothing();
    }

    @Test
    @DisplayName("R8 an RNR NAK needs no AckReq")
    void anRnrNakNeedsNoAckReq() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(sendFirst(0x100, MTU)).expect(rnr(0x100, 12)).expectNothing();
    }

    @Test
    @DisplayName("R8 WRITE with immediate needs its receive request at the last packet only")
    void writeWithImmediateNeedsItAtTheEnd() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeFirst(0x100, MTU, 2000).ackReq()).expect(ack(0x100).msn(0));
        PeerPacket last = PeerPacket.of(Opcode.RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 0x101, 2000 - MTU).immediate(0x1234).ackReq();
        trace.peerSends(last).expect(rnr(0x101, 12).msn(0)).expectUntouched(MTU, 100);
        trace.postsReceives(0).expect(ack(0x100).msn(0).credits(1));
        trace.peerSends(last).expect(ack(0x101).msn(1)).expectMemory(MTU, PeerPacket.payloadOf(0x101, 2000 - MTU));
        WorkCompletion completion = trace.expectCompletion(100, SUCCESS);
        assertEquals(0x1234, completion.immediate());
        assertEquals(2000, completion.byteLength());
    }

    @Test
    @DisplayName("R11 R12 a receive request that cannot be used: Remote Operational NAK, LOC_PROT_ERR, the rest flushed")
    void anUnusableReceiveRequestIsRefused() {
        List<ReceiveRequest> unusable = List.of(
            new ReceiveRequest().add(Trace.BASE, 64, 0xBAD),
            new ReceiveRequest().add(Trace.BASE + (1 << 18) - 8, 64, Trace.KEY),
            new ReceiveRequest().add(Trace.BASE, 4, Trace.KEY).add(Trace.BASE, 64, 0xBAD));
        for (ReceiveRequest request : unusable) {
            Trace trace = Trace.inRts().open();
            trace.postsReceive(request).postsReceives(64);
            trace.peerSends(sendOnly(0x100, 16).ackReq(), sendOnly(0x101, 16).ackReq());
            trace.expect(nak(0x100, REMOTE_OPERATIONAL_ERROR).msn(0)).expectNothing();
            trace.expectCompletion(100, LOC_PROT_ERR);
            trace.expectCompletion(101, WR_FLUSH_ERR);
            trace.expectNoCompletion().expectNoEvent().expectState(QueuePairState.ERROR);
        }
    }

    @Test
    @DisplayName("R11 a receive request in memory the NIC may not write")
    void aReadOnlyReceiveBufferIsRefused() {
        Trace trace = Trace.inRts().open();
        trace.nextDraws(0x5151);
        MemoryRegion readOnly = trace.domain.register(0, 0, ByteBuffer.allocateDirect(64));
        trace.postsReceive(new ReceiveRequest().add(readOnly.address(), 64, readOnly.lKey()));
        trace.peerSends(sendOnly(0x100, 16).ackReq()).expect(nak(0x100, REMOTE_OPERATIONAL_ERROR));
        trace.expectCompletion(100, LOC_PROT_ERR);
    }

    @Test
    @DisplayName("R11 memory that a message does not touch is not checked")
    void anEmptySendTouchesNothing() {
        Trace trace = Trace.inRts().open();
        trace.postsReceive(new ReceiveRequest().add(Trace.BASE, 64, 0xBAD)).postsReceives(0);
        trace.peerSends(sendOnly(0x100, 0).ackReq()).expect(ack(0x100));
        trace.peerSends(sendOnly(0x101, 0).ackReq()).expect(ack(0x101));
        assertEquals(0, trace.expectCompletion(100, SUCCESS).byteLength());
        assertEquals(0, trace.expectCompletion(101, SUCCESS).byteLength());
    }

    @Test
    @DisplayName("R9 R12 a SEND longer than its receive request: Invalid Request NAK, LOC_LEN_ERR, not a byte past the buffer")
    void aSendTooLongIsRefused() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(15, 64);
        trace.peerSends(sendOnly(0x100, 16).ackReq()).expect(nak(0x100, INVALID_REQUEST).msn(0)).expectNothing();
        String text = trace.expectCompletion(100, LOC_LEN_ERR).explanation();
        assertTrue(text.contains("16") && text.contains("15"), text);
        trace.expectCompletion(101, WR_FLUSH_ERR);
        trace.expectNoEvent().expectUntouched(15, 100).expectState(QueuePairState.ERROR);
    }

    @Test
    @DisplayName("R9 R12 a long SEND is refused at the packet that no longer fits; packets before it are acknowledged by the NAK")
    void aLongSendIsRefusedWhereItOverflows() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(2048);
        trace.peerSends(sendFirst(0x100, MTU), sendMiddle(0x101, MTU), sendMiddle(0x102, MTU), sendLast(0x103, 8).ackReq());
        trace.expect(nak(0x102, INVALID_REQUEST).msn(0)).expectNothing();
        trace.expectCompletion(100, LOC_LEN_ERR);
        trace.expectUntouched(2048, MTU);
    }

    @Test
    @DisplayName("R12 a request error with a receive request in use completes it REM_INV_REQ_ERR instead of an event")
    void aRequestErrorCompletesTheReceiveInUse() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(4096, 64);
        trace.peerSends(sendFirst(0x100, MTU), sendOnly(0x101, 8)).expect(nak(0x101, INVALID_REQUEST));
        trace.expectCompletion(100, REM_INV_REQ_ERR);
        trace.expectCompletion(101, WR_FLUSH_ERR);
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("R12 a key error with a receive request in use completes it LOC_ACCESS_ERR instead of an event")
    void aKeyErrorCompletesTheReceiveInUse() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64, 64);
        trace.peerSends(writeOnlyImmediate(0x100, 8).key(0xBAD)).expect(nak(0x100, REMOTE_ACCESS_ERROR));
        trace.expectCompletion(100, LOC_ACCESS_ERR);
        trace.expectCompletion(101, WR_FLUSH_ERR);
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("R13 the NAK still leaves when the sink is full at first")
    void aFullSinkDoesNotLoseTheNak() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(0);
        trace.peerSends(writeOnly(0x100, 8).ackReq(), writeOnly(0x101, 8).key(0xBAD)).expectNothing();
        trace.sink.room(1);
        trace.run().expect(nak(0x101, REMOTE_ACCESS_ERROR).msn(1)).expectNothing();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("R13 no READ response leaves once the application has set ERROR, nor what is due behind it; an ACK alone does")
    void errorStopsReadResponses(boolean isDuplicate) {
        Trace trace = Trace.inRts().open();
        if (isDuplicate) {
            trace.peerSends(read(0x100, 4096));
            trace.takeAll();
        }
        int first = isDuplicate ? 0x101 : 0x100;
        trace.sink.room(1);
        trace.peerSends(read(first, 3072).at(Trace.BASE + 1024L * (first - 0x100))).expect(readFirst(first));
        trace.peerSends(writeOnly(first + 3, 8).at(Trace.BASE + 8192).ackReq()).expectNothing();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.sink.room(100);
        trace.run().expectNothing();
        Trace other = Trace.inRts().open();
        other.sink.room(0);
        other.peerSends(writeOnly(0x100, 8).ackReq()).expectNothing();
        other.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        other.sink.room(1);
        other.run().expect(ack(0x100).msn(1)).expectNothing();
    }

    @Test
    @DisplayName("R14 the whole range of a READ is checked before the first response; the NAK carries its first PSN")
    void theWholeRangeOfAReadIsCheckedFirst() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 4096).at(Trace.BASE + (1 << 18) - 4095));
        trace.expect(nak(0x100, REMOTE_ACCESS_ERROR).msn(0)).expectNothing();
    }

    /** The memory of a READ is deregistered when two of its four responses have left; the others are due. */
    private static Trace readOfVanishingMemory(PeerPacket request) {
        Trace trace = Trace.inRts().open();
        trace.nextDraws(0x5151);
        MemoryRegion region = trace.domain.register(AccessFlags.REMOTE_READ, 0, ByteBuffer.allocateDirect(4096));
        trace.sink.room(2);
        trace.peerSends(request.at(0).key(0x5151)).expect(readFirst(0x100), FrameExpectation.readMiddle(0x101));
        region.close();
        trace.sink.room(100);
        return trace;
    }

    @Test
    @DisplayName("R14 K2 a READ whose memory is deregistered half-way gets no NAK: no more responses, QP to ERROR, QP_ACCESS_ERR")
    void aReadOfVanishingMemoryEndsInSilence() {
        Trace trace = readOfVanishingMemory(read(0x100, 4096));
        trace.run().expectNothing();
        trace.expectState(QueuePairState.ERROR).expectEvent(AsyncEvent.Type.QP_ACCESS_ERR);
    }

    @Test
    @DisplayName("R14 G1 a known peer whose READ loses its memory half-way gets a NAK with the PSN of the missing response")
    void aReadOfVanishingMemoryIsRefusedToAKnownPeer() {
        Trace trace = readOfVanishingMemory(read(0x100, 4096).marked());
        trace.run().expect(nak(0x102, REMOTE_ACCESS_ERROR)).expectNothing();
        trace.expectState(QueuePairState.ERROR).expectEvent(AsyncEvent.Type.QP_ACCESS_ERR);
    }

    @Test
    @DisplayName("R10 a WRITE whose memory is deregistered half-way is refused at the next packet")
    void aWriteToVanishingMemoryIsRefused() {
        Trace trace = Trace.inRts().open();
        trace.nextDraws(0x5151);
        MemoryRegion window = trace.domain.register(AccessFlags.REMOTE_WRITE | AccessFlags.LOCAL_WRITE, 0,
            ByteBuffer.allocateDirect(4096));
        trace.peerSends(writeFirst(0x100, MTU, 2000).at(0).key(0x5151).ackReq()).expect(ack(0x100));
        window.close();
        trace.peerSends(writeLast(0x101, 2000 - MTU).ackReq()).expect(nak(0x101, REMOTE_ACCESS_ERROR)).expectNothing();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("R17 receive completion queue full: CQ_ERR, ERROR, QP_FATAL; the message that was not reported is not acknowledged")
    void aFullReceiveCompletionQueueFailsTheQueuePair(boolean together) {
        Trace trace = Trace.inRts().completions(1).open();
        trace.postsReceives(64, 64, 64);
        if (together) {
            trace.peerSendsTogether(sendOnly(0x100, 8).ackReq(), sendOnly(0x101, 8).ackReq());
        } else {
            trace.peerSends(sendOnly(0x100, 8).ackReq(), sendOnly(0x101, 8).ackReq());
        }
        trace.expect(ack(0x100).msn(1)).expectNothing();
        trace.expectState(QueuePairState.ERROR).expectEvent(AsyncEvent.Type.CQ_ERR);
        trace.expectEvent(AsyncEvent.Type.QP_FATAL);
        trace.expectNoEvent();
        assertTrue(trace.completionQueue.isOverrun());
        trace.expectCompletion(100, SUCCESS);
        trace.advance(1, TimeUnit.SECONDS).expectNoEvent();
    }

    @Test
    @DisplayName("R1 a request kept inside the PSN range of a READ is dropped when that READ is executed")
    void whatAReadTookTheRangeOfIsForgotten() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.peerSends(writeOnly(0x101, 8)).expect(sequenceNak(0x100)).expectNothing();
        trace.peerSends(read(0x100, 2000)).expect(readFirst(0x100), readLast(0x101)).expectNothing();
        trace.peerSends(writeOnly(0x102, 8).ackReq()).expect(ack(0x102).msn(2)).expectNothing();
    }

    @Test
    @DisplayName("R1 a lost NAK is not sent again: the peer's timer retransmits the missing request")
    void aLostNakIsNotRepeated() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x102, 8)).expect(sequenceNak(0x100)).expectNothing();
        trace.advance(10, TimeUnit.SECONDS).expectNothing();
        trace.peerSends(read(0x100, 2000)).expectState(QueuePairState.RTS);
        trace.expect(readFirst(0x100), readLast(0x101)).expectNothing();
    }
}
