package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.read;
import static io.rxe.qp.PeerPacket.sendFirst;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.qp.Trace.send;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.counters.Drops;
import io.rxe.counters.NicCounter;
import io.rxe.port.Flow;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderField;
import io.rxe.wire.Opcode;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Rule R16: packets that are dropped, each counted by reason, before any state changes; and unusual packets that are accepted. */
class PacketAcceptanceTest {
    private record Drop(DropReason reason, PeerPacket packet) {
        @Override
        public String toString() {
            return reason.label();
        }
    }

    static List<Drop> drops() {
        return List.of(
            new Drop(DropReason.BAD_ICRC, writeOnly(0x100, 8).badIcrc()),
            new Drop(DropReason.WRONG_PARTITION_KEY, writeOnly(0x100, 8).change(b -> HeaderField.BTH_PARTITION_KEY.set(b, 0, 0x8001))),
            new Drop(DropReason.UNSUPPORTED_TRANSPORT_VERSION, writeOnly(0x100, 8).change(b -> HeaderField.BTH_VERSION.set(b, 0, 1))),
            new Drop(DropReason.UNKNOWN_QUEUE_PAIR, writeOnly(0x100, 8).change(b -> HeaderField.BTH_QPN.set(b, 0, Trace.QPN + 1))),
            new Drop(DropReason.RESERVED_QUEUE_PAIR, writeOnly(0x100, 8).change(b -> HeaderField.BTH_QPN.set(b, 0, 0))),
            new Drop(DropReason.WRONG_TRANSPORT, PeerPacket.of(Opcode.UC_RDMA_WRITE_ONLY, 0x100, 8)),
            new Drop(DropReason.WRONG_TRANSPORT, PeerPacket.of(Opcode.UD_SEND_ONLY, 0x100, 8)),
            new Drop(DropReason.DATAGRAM_TOO_SHORT, writeOnly(0x100, 8).cutTo(15)),
            new Drop(DropReason.DATAGRAM_TOO_SHORT, writeOnly(0x100, 8).cutTo(0)),
            new Drop(DropReason.HEADERS_TRUNCATED, writeOnly(0x100, 8).cutTo(28)),
            new Drop(DropReason.LENGTH_NOT_MULTIPLE_OF_FOUR, writeOnly(0x100, 8).cutTo(39)),
            new Drop(DropReason.BAD_PADDING, writeOnly(0x100, 0).change(buffer -> HeaderField.BTH_PAD_COUNT.set(buffer, 0, 3))),
            new Drop(DropReason.BAD_ICRC, ackOf(0x100).badIcrc()),
            new Drop(DropReason.WRONG_PARTITION_KEY, ackOf(0x100).change(buffer -> HeaderField.BTH_PARTITION_KEY.set(buffer, 0, 0))));
    }

    @ParameterizedTest
    @MethodSource("drops")
    @DisplayName("R16 a bad packet is dropped before any state changes, and counted by reason")
    void badPacketsAreDroppedByName(Drop drop) {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(drop.packet().ackReq()).expectNothing();
        assertEquals(1, trace.dropped(drop.reason()));
        assertEquals(1, Drops.of(trace.engine.counters()));
        assertEquals(0, trace.counter(NicCounter.RCVD_PKTS));
        trace.expectNoCompletion().expectNoEvent().expectState(QueuePairState.RTS).expectUntouched(0, trace.memory.capacity());
        trace.peerSends(writeOnly(0x100, 8).ackReq(), ackOf(0x100)).expect(ack(0x100).msn(1));
        trace.expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("R16 a foreign source address and a wrong destination address")
    void foreignAddressesAreDropped() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        Flow foreign = new Flow(Gid.parse("10.0.0.3"), Trace.OUR_GID, 0xC123, 4791);
        Flow elsewhere = new Flow(Trace.PEER_GID, Gid.parse("10.0.0.9"), 0xC123, 4791);
        trace.sends(foreign, writeOnly(0x100, 8).ackReq()).sends(foreign, ackOf(0x100)).expectNothing();
        assertEquals(2, trace.dropped(DropReason.WRONG_SOURCE_ADDRESS));
        trace.sends(elsewhere, writeOnly(0x100, 8).ackReq()).expectNothing();
        assertEquals(1, trace.dropped(DropReason.WRONG_DESTINATION_ADDRESS));
        trace.expectNoCompletion().expectUntouched(0, 64);
    }

    @Test
    @DisplayName("R16 a foreign address on IPv6 to a queue pair connected over IPv4")
    void anotherAddressFamilyIsDropped() {
        Trace trace = Trace.inRts().open();
        Flow ipv6 = new Flow(Gid.parse("fd00::2"), Gid.parse("fd00::1"), 0xC123, 4791);
        trace.sends(ipv6, writeOnly(0x100, 8).ackReq()).expectNothing();
        assertEquals(1, trace.dropped(DropReason.WRONG_SOURCE_ADDRESS));
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairState.class, names = {"RESET", "INIT", "ERROR"})
    @DisplayName("R16 Q12 a queue pair in a state that does not receive")
    void theWrongStateDropsRequests(QueuePairState state) {
        Trace trace = Trace.inRts().in(state).open();
        trace.peerSends(writeOnly(0x100, 8).ackReq(), ackOf(0x100)).expectNothing().expectNoEvent();
        assertEquals(2, trace.dropped(state == QueuePairState.ERROR ? DropReason.QUEUE_PAIR_ERROR_STATE
            : DropReason.QUEUE_PAIR_NOT_READY));
    }

    @Test
    @DisplayName("R16 in RTR requests are served and responses dropped")
    void inRtrOnlyRequestsAreServed() {
        Trace trace = Trace.inRtr().open();
        trace.peerSends(ackOf(0x100)).expectNothing();
        assertEquals(1, trace.dropped(DropReason.QUEUE_PAIR_NOT_READY));
        trace.peerSends(read(0x100, 8)).expect(readOnly(0x100));
    }

    @Test
    @DisplayName("R16 MigReq, FECN, BECN, reserved bits, a limited P_Key, odd pad bytes and any source port are accepted")
    void oddButLegalPacketsAreAccepted() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(
            writeOnly(0x100, 8).ackReq().change(buffer -> Bth.migrationRequest(buffer, 0, true)),
            writeOnly(0x101, 8).ackReq().change(buffer -> HeaderField.BTH_PARTITION_KEY.set(buffer, 0, 0x7FFF)),
            writeOnly(0x102, 8).ackReq().change(buffer -> HeaderField.BTH_FECN.set(buffer, 0, 1)),
            writeOnly(0x103, 8).ackReq().change(buffer -> HeaderField.BTH_BECN.set(buffer, 0, 1)),
            writeOnly(0x104, 8).ackReq().change(buffer -> buffer.putByte(4, (byte) 0x3F)),
            writeOnly(0x105, 8).ackReq().change(buffer -> buffer.putByte(8, (byte) (buffer.getByte(8) | 0x7F))),
            writeOnly(0x106, 5).ackReq().change(buffer -> buffer.putByte(33, (byte) 0x77)));
        for (int i = 0; i < 7; i++) {
            trace.expect(ack(0x100 + i));
        }
        trace.sends(new Flow(Trace.PEER_GID, Trace.OUR_GID, 1, 4791), writeOnly(0x107, 8).ackReq()).expect(ack(0x107).msn(8));
    }

    @Test
    @DisplayName("R16 no datagram, whatever its length and content, throws or changes anything")
    void anyBytesAreHarmless() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.peerSends(sendFirst(0x700, 1024));
        trace.takeAll();
        Random random = new Random(42);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[5000]);
        long before = Drops.of(trace.engine.counters());
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            int length = random.nextInt(i % 10 == 0 ? 4500 : 100);
            random.nextBytes(buffer.byteArray());
            if (length >= 16 && i % 2 == 0) {
                buffer.putByte(0, (byte) i);
                HeaderField.BTH_VERSION.set(buffer, 0, 0);
                HeaderField.BTH_QPN.set(buffer, 0, Trace.QPN);
                HeaderField.BTH_PARTITION_KEY.set(buffer, 0, 0xFFFF);
            }
            trace.engine.onPacket(buffer, 0, length, Trace.FROM_PEER, trace.nowNs());
        }
        trace.expectNothing().expectNoCompletion().expectNoEvent().expectState(QueuePairState.RTS);
        assertEquals(count, Drops.of(trace.engine.counters()) - before);
        trace.expectUntouched(0, trace.memory.capacity());
    }
}
