package io.rxe.guard;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.verbs.Operation;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.HeaderField;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import io.rxe.wire.Transport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** KernelSafety detects violations of rules K1 to K13, and nothing else. */
class KernelSafetyTest {
    private final KernelSafety safety = new KernelSafety(1024);

    private static UnsafeBuffer frame(Opcode opcode, int psn, int payload) {
        int pad = -payload & 3;
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[opcode.headerLength() + payload + pad + Icrc.LENGTH]);
        Bth.write(buffer, 0, opcode, false, pad, 0x11, true, psn);
        if (opcode.hasReth()) {
            Reth.write(buffer, opcode.rethOffset(), 0, 0, payload);
        }
        if (opcode.hasAeth()) {
            Aeth.write(buffer, opcode.aethOffset(), Syndrome.ACK_UNLIMITED, 0);
        }
        return buffer;
    }

    private static UnsafeBuffer read(int psn, long length) {
        UnsafeBuffer buffer = frame(Opcode.RC_RDMA_READ_REQUEST, psn, 0);
        HeaderField.RETH_LENGTH.set(buffer, Opcode.RC_RDMA_READ_REQUEST.rethOffset(), length);
        return buffer;
    }

    private static UnsafeBuffer negative(int psn, int syndrome) {
        UnsafeBuffer buffer = frame(Opcode.RC_ACKNOWLEDGE, psn, 0);
        HeaderField.AETH_SYNDROME.set(buffer, Opcode.RC_ACKNOWLEDGE.aethOffset(), syndrome);
        return buffer;
    }

    private void delivered(UnsafeBuffer buffer) {
        safety.onDelivered(buffer, 0, buffer.capacity());
    }

    private void allowed(UnsafeBuffer buffer) {
        assertDoesNotThrow(() -> safety.onEmitted(buffer, 0, buffer.capacity()));
    }

    private void forbidden(String what, UnsafeBuffer buffer) {
        String text = assertThrows(AssertionError.class, () -> safety.onEmitted(buffer, 0, buffer.capacity())).getMessage();
        assertTrue(text.contains(what), text);
    }

    @Test
    @DisplayName("an ACK for the first request of a connection is allowed behind a packet from before it, forbidden while it is missing")
    void theFirstPsnCounts() {
        KernelSafety connected = new KernelSafety(1024, 0x100);
        UnsafeBuffer early = frame(Opcode.RC_SEND_ONLY, 0, 8);
        connected.onDelivered(early, 0, early.capacity());
        UnsafeBuffer second = frame(Opcode.RC_SEND_ONLY, 0x101, 8);
        connected.onDelivered(second, 0, second.capacity());
        UnsafeBuffer acknowledge = frame(Opcode.RC_ACKNOWLEDGE, 0x101, 0);
        assertThrows(AssertionError.class, () -> connected.onEmitted(acknowledge, 0, acknowledge.capacity()));
        UnsafeBuffer first = frame(Opcode.RC_SEND_ONLY, 0x100, 8);
        connected.onDelivered(first, 0, first.capacity());
        assertDoesNotThrow(() -> connected.onEmitted(acknowledge, 0, acknowledge.capacity()));
    }

    @Test
    @DisplayName("K8 Q16 no ATOMIC_WRITE or FLUSH that the application has not posted; K1 K4 their answer is an empty READ response")
    void placementRequestsAreSentOnDemandOnly() {
        UnsafeBuffer write = frame(Opcode.RC_ATOMIC_WRITE, 0x10, 8);
        forbidden("ATOMIC_WRITE or FLUSH that nobody posted", write);
        safety.onPosted(Operation.FLUSH);
        allowed(write);
        delivered(frame(Opcode.RC_FLUSH, 0x10, 0));
        forbidden("a plain ACK at the PSN", frame(Opcode.RC_ACKNOWLEDGE, 0x10, 0));
        forbidden("a READ response that fits no open READ", frame(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 0x10, 4));
        allowed(frame(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 0x10, 0));
    }

    @Test
    @DisplayName("K8 no frame of XRC, posted or not: its opcodes are undefined to every kernel")
    void noXrcFrames() {
        safety.onPosted(Operation.ATOMIC_WRITE);
        for (Opcode opcode : Opcode.values()) {
            if (opcode.transport() == Transport.XRC) {
                forbidden("an XRC frame", frame(opcode, 0x10, opcode.isAtomicWrite() ? 8 : 0));
            }
        }
    }

    @Test
    @DisplayName("K8 no CNP, unless the peer is an rxe")
    void noNotifications() {
        UnsafeBuffer notification = frame(Opcode.CNP, 0, 0);
        Bth.notifyBackward(notification, 0);
        forbidden("a CNP", notification);
    }

    @Test
    @DisplayName("K1 no plain ACK at the PSN of a READ or an atomic")
    void aPlainAckAtAReadIsCaught() {
        delivered(frame(Opcode.RC_SEND_ONLY, 0x0F, 8));
        delivered(read(0x10, 3000));
        delivered(frame(Opcode.RC_FETCH_ADD, 0x13, 0));
        allowed(frame(Opcode.RC_ACKNOWLEDGE, 0x0F, 0));
        for (int psn = 0x10; psn <= 0x13; psn++) {
            forbidden("a plain ACK", frame(Opcode.RC_ACKNOWLEDGE, psn, 0));
        }
        delivered(frame(Opcode.RC_SEND_ONLY, 0x14, 8));
        allowed(frame(Opcode.RC_ACKNOWLEDGE, 0x14, 0));
    }

    @Test
    @DisplayName("K10 no sequence NAK between an RNR NAK and the retransmission it asks for")
    void aSequenceNakBehindAnRnrNakIsCaught() {
        delivered(frame(Opcode.RC_SEND_ONLY, 0x10, 8));
        allowed(negative(0x10, 0x2C));
        delivered(frame(Opcode.RC_SEND_ONLY, 0x11, 8));
        forbidden("a sequence NAK behind an RNR NAK", negative(0x10, Syndrome.PSN_SEQUENCE_ERROR));
        delivered(frame(Opcode.RC_SEND_ONLY, 0x10, 8));
        delivered(frame(Opcode.RC_SEND_ONLY, 0x13, 8));
        allowed(negative(0x12, Syndrome.PSN_SEQUENCE_ERROR));
    }

    @Test
    @DisplayName("K11 no ACK for a packet that has not arrived, nor for one behind a gap")
    void anAckOfWhatHasNotArrivedIsCaught() {
        forbidden("has not arrived", frame(Opcode.RC_ACKNOWLEDGE, 0xFFFFFE, 0));
        delivered(frame(Opcode.RC_SEND_ONLY, 0xFFFFFE, 8));
        delivered(frame(Opcode.RC_SEND_ONLY, 0, 8));
        allowed(frame(Opcode.RC_ACKNOWLEDGE, 0xFFFFFE, 0));
        forbidden("has not arrived", frame(Opcode.RC_ACKNOWLEDGE, 0xFFFFFF, 0));
        forbidden("has not arrived", frame(Opcode.RC_ACKNOWLEDGE, 0, 0));
        delivered(frame(Opcode.RC_SEND_ONLY, 0xFFFFFF, 8));
        allowed(frame(Opcode.RC_ACKNOWLEDGE, 0, 0));
        forbidden("has not arrived", frame(Opcode.RC_ACKNOWLEDGE, 1, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {0x40, 0x5F, 0x80, 0xE0})
    @DisplayName("K12 no reserved syndrome")
    void aReservedSyndromeIsCaught(int syndrome) {
        delivered(frame(Opcode.RC_SEND_ONLY, 0x10, 8));
        forbidden("a reserved syndrome", negative(0x10, syndrome));
        allowed(frame(Opcode.RC_ACKNOWLEDGE, 0x10, 0));
    }

    private static UnsafeBuffer marked(UnsafeBuffer frame) {
        Bth.mark(frame, 0);
        return frame;
    }

    @Test
    @DisplayName("K13 G10 no send time but in a request or READ response to a peer with the mark, no request's wait but in such a response")
    void sendTimesToOthersAreCaught() {
        forbidden("a send time", timed(frame(Opcode.RC_SEND_ONLY, 0x70, 8)));
        forbidden("how long a request waited", waited(frame(Opcode.RC_SEND_ONLY, 0x70, 8)));
        delivered(marked(frame(Opcode.RC_SEND_ONLY, 0x10, 8)));
        allowed(timed(frame(Opcode.RC_SEND_ONLY, 0x70, 8)));
        forbidden("a send time", timed(frame(Opcode.RC_ACKNOWLEDGE, 0x10, 0)));
        allowed(timed(read(0x71, 8)));
        forbidden("how long a request waited", waited(frame(Opcode.RC_ACKNOWLEDGE, 0x10, 0)));
        delivered(marked(read(0x11, 8)));
        allowed(waited(frame(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 0x11, 8)));
    }

    private static UnsafeBuffer waited(UnsafeBuffer frame) {
        Bth.requestWait(frame, 0, 1);
        return frame;
    }

    private static UnsafeBuffer timed(UnsafeBuffer frame) {
        Bth.sendTime(frame, 0, 1023);
        return frame;
    }

    @Test
    @DisplayName("K13 no report, no mark in a response, and none in a request behind a response without it")
    void reportsAndMarksToOthersAreCaught() {
        delivered(frame(Opcode.RC_SEND_ONLY, 0x10, 8));
        forbidden("a mark", marked(frame(Opcode.RC_ACKNOWLEDGE, 0x10, 0)));
        forbidden("a gap report", frame(Opcode.RC_ACKNOWLEDGE, 0x10, 16));
        allowed(marked(frame(Opcode.RC_SEND_ONLY, 0x70, 8)));
        delivered(frame(Opcode.RC_ACKNOWLEDGE, 0x70, 0));
        forbidden("a mark", marked(frame(Opcode.RC_SEND_ONLY, 0x71, 8)));
        allowed(frame(Opcode.RC_SEND_ONLY, 0x71, 8));
        delivered(marked(frame(Opcode.RC_SEND_ONLY, 0x11, 8)));
        allowed(marked(frame(Opcode.RC_ACKNOWLEDGE, 0x11, 0)));
        allowed(marked(frame(Opcode.RC_ACKNOWLEDGE, 0x11, 16)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0x60, 0x61, 0x62, 0x63, 0x20, 0x2C})
    @DisplayName("K2 no NAK and no RNR inside a READ that is being answered")
    void aNakInsideABegunReadIsCaught(int syndrome) {
        delivered(read(0xFFFFFF, 3000));
        allowed(negative(0xFFFFFF, syndrome));
        forbidden("inside a READ", negative(0, syndrome));
        allowed(frame(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 0xFFFFFF, 1024));
        for (int psn : new int[] {0xFFFFFF, 0, 1}) {
            forbidden("being answered", negative(psn, syndrome));
        }
        allowed(negative(2, syndrome));
    }

    @Test
    @DisplayName("K2 R14 a READ of a peer with the mark may end half-way, with the PSN of the missing response and NAKs for memory alone")
    void goneMemoryInsideAReadOfAKnownPeerIsAllowed() {
        delivered(marked(read(0x10, 3000)));
        allowed(marked(frame(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 0x10, 1024)));
        forbidden("being answered", marked(negative(0x11, 0x61)));
        forbidden("being answered", marked(negative(0x12, 0x62)));
        forbidden("being answered", marked(negative(0x12, 0x63)));
        allowed(marked(negative(0x11, 0x62)));
        allowed(marked(negative(0x11, 0x63)));
    }

    @Test
    @DisplayName("K3 K4 K5 no NAK in a READ LAST, no READ ONLY shorter than asked, no MIDDLE or LAST with no READ open")
    void brokenReadResponsesAreCaught() {
        forbidden("fits no open READ", frame(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 0x10, 8));
        delivered(read(0x10, 3000));
        forbidden("fits no open READ", frame(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 0x11, 1024));
        forbidden("fits no open READ", frame(Opcode.RC_RDMA_READ_RESPONSE_LAST, 0x12, 952));
        forbidden("fits no open READ", frame(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 0x10, 3000 - 2048));
        forbidden("fits no open READ", frame(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 0x10, 1020));
        allowed(frame(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 0x10, 1024));
        allowed(frame(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 0x11, 1024));
        UnsafeBuffer last = frame(Opcode.RC_RDMA_READ_RESPONSE_LAST, 0x12, 952);
        HeaderField.AETH_SYNDROME.set(last, Opcode.RC_RDMA_READ_RESPONSE_LAST.aethOffset(), Syndrome.REMOTE_ACCESS_ERROR);
        forbidden("with a NAK in it", last);
        allowed(frame(Opcode.RC_RDMA_READ_RESPONSE_LAST, 0x12, 952));
        delivered(read(0x13, 8));
        forbidden("fits no open READ", frame(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 0x13, 4));
        allowed(frame(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 0x13, 8));
    }

    @Test
    @DisplayName("K6 no AtomicAck for anything but an atomic")
    void anAtomicAckForASendIsCaught() {
        delivered(frame(Opcode.RC_SEND_ONLY, 0x10, 8));
        forbidden("where no atomic was", frame(Opcode.RC_ATOMIC_ACKNOWLEDGE, 0x10, 0));
        delivered(frame(Opcode.RC_COMPARE_SWAP, 0x11, 0));
        allowed(frame(Opcode.RC_ATOMIC_ACKNOWLEDGE, 0x11, 0));
    }

    @Test
    @DisplayName("K7 K8 K9 no WRITE FIRST of length 0, no undefined opcode, no runt, no payload beyond the path MTU")
    void requestsThatCrashAKernelAreCaught() {
        UnsafeBuffer first = frame(Opcode.RC_RDMA_WRITE_FIRST, 0x10, 1024);
        HeaderField.RETH_LENGTH.set(first, Opcode.RC_RDMA_WRITE_FIRST.rethOffset(), 0);
        forbidden("RETH length", first);
        UnsafeBuffer undefined = frame(Opcode.RC_SEND_ONLY, 0x10, 8);
        HeaderField.BTH_OPCODE.set(undefined, 0, 0x15);
        forbidden("malformed", undefined);
        forbidden("malformed", new UnsafeBuffer(new byte[12]));
        forbidden("beyond the path MTU", frame(Opcode.RC_SEND_ONLY, 0x10, 1028));
        forbidden("not one MTU", frame(Opcode.RC_SEND_FIRST, 0x10, 1020));
    }

    @Test
    @DisplayName("P2 R9 requests leave without a gap and in order of first, middle, last")
    void requestsOutOfOrderAreCaught() {
        allowed(frame(Opcode.RC_SEND_FIRST, 0x10, 1024));
        forbidden("out of order", frame(Opcode.RC_SEND_ONLY, 0x11, 8));
        allowed(frame(Opcode.RC_SEND_LAST, 0x11, 8));
        forbidden("leaves a gap", frame(Opcode.RC_SEND_ONLY, 0x13, 8));
        allowed(frame(Opcode.RC_SEND_FIRST, 0x10, 1024));
        allowed(read(0x12, 3000));
        allowed(frame(Opcode.RC_SEND_ONLY, 0x15, 8));
    }

    @Test
    @DisplayName("K1 to K9 traffic between two kernels, in order, passes")
    void cleanGoldenTrafficPasses() {
        for (String name : new String[] {"rdma_read", "rdma_write", "atomic_cas", "atomic_fetch_add"}) {
            KernelSafety client = new KernelSafety(1024);
            KernelSafety server = new KernelSafety(1024);
            for (GoldenFrame golden : GoldenCaptures.open(name)) {
                if (golden.opcode().isRequest()) {
                    server.onDelivered(golden.buffer(), golden.offset(), golden.length());
                    client.onEmitted(golden.buffer(), golden.offset(), golden.length());
                } else {
                    server.onEmitted(golden.buffer(), golden.offset(), golden.length());
                }
            }
            assertTrue(GoldenCaptures.open(name).size() > 10);
        }
    }
}
