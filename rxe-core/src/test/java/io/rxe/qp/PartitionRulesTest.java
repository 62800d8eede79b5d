package io.rxe.qp;

import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.qp.Trace.send;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.port.EcnOptions;
import io.rxe.port.EngineEvent;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Ecn;
import io.rxe.wire.HeaderField;
import io.rxe.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rule R16, the P_Key: what packets carry, and which the peer's must match. */
class PartitionRulesTest {
    private static final PartitionKeys TABLE = PartitionKeys.of(0xFFFF, 0x8001, 0x0001, 0x8002);

    private static PeerPacket with(int key, PeerPacket packet) {
        return packet.change(buffer -> HeaderField.BTH_PARTITION_KEY.set(buffer, 0, key));
    }

    private static void assertKey(int key, SentFrame frame) {
        assertEquals(PartitionKeys.text(key), PartitionKeys.text(Bth.partitionKey(frame.buffer(), 0)));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0xffff, true", "0, 0x7fff, true", "0, 0x8001, false", "0, 0x0000, false",
        "1, 0x8001, true", "1, 0x0001, true", "1, 0xffff, false", "1, 0x8002, false",
        "2, 0x8001, true", "2, 0x0001, false", "2, 0x8002, false", "2, 0x7fff, false"})
    @DisplayName("R16 requests and responses of the queue pair's partition are accepted, but not from limited to limited member")
    void membership(int index, String peerKey, boolean accepted) {
        int key = Integer.decode(peerKey);
        int own = TABLE.key(index);
        Trace trace = Trace.inRts().partition(TABLE, index).open();
        List<String> reports = new ArrayList<>();
        trace.engine.observe((event, nowNs, qpn, psn, value) -> {
            if (event == EngineEvent.BAD_PARTITION_KEY) {
                reports.add(Integer.toHexString(qpn) + " " + PartitionKeys.text((int) (value >> 16)) + " "
                    + PartitionKeys.text((int) value & 0xFFFF));
            }
        });
        trace.posts(send(8));
        assertKey(own, trace.next());
        trace.peerSends(with(key, writeOnly(0x100, 8).ackReq()), with(key, ackOf(0x100)));
        if (accepted) {
            assertKey(own, trace.next());
            trace.expectCompletion(1, SUCCESS);
            assertEquals(List.of(), reports);
        } else {
            trace.expectNothing().expectNoCompletion().expectUntouched(0, 64);
            assertEquals(0, trace.counter(NicCounter.RCVD_PKTS));
            String report = "42 " + PartitionKeys.text(key) + " " + PartitionKeys.text(own);
            assertEquals(List.of(report, report), reports);
        }
        assertEquals(accepted ? 0 : 2, trace.dropped(DropReason.WRONG_PARTITION_KEY));
        assertEquals(accepted ? 0 : 2, trace.nic.port(1).badPartitionKeys());
        trace.expectNoEvent().expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("R16 every kind of packet carries the P_Key: requests, acknowledgements, READ responses, retransmissions")
    void everyPacket() {
        Trace trace = Trace.inRts().partition(TABLE, 3).open();
        trace.posts(send(3000), Trace.read(8));
        trace.peerSends(with(0x0002, writeOnly(0x100, 8).ackReq()), with(0x8002, PeerPacket.read(0x101, 3000)));
        trace.advanceNs(100_000_000);
        List<SentFrame> frames = trace.takeAll();
        assertTrue(frames.size() >= 9, () -> frames.size() + " frames: 4 requests, 1 acknowledgement, 3 responses, and retransmissions");
        frames.forEach(frame -> assertKey(0x8002, frame));
    }

    @Test
    @DisplayName("R16 a CNP carries the P_Key of the queue pair, and one of another partition is dropped")
    void notifications() {
        Trace trace = Trace.inRts().partition(TABLE, 3).ecn(EcnOptions.ALL).open();
        trace.sends(Trace.FROM_PEER.withTrafficClass(Ecn.CONGESTION_EXPERIENCED), with(0x0002, writeOnly(0x100, 8)));
        SentFrame frame = trace.next();
        assertEquals(Opcode.CNP, frame.opcode());
        assertKey(0x8002, frame);
        trace.peerSends(with(0x8002, PeerPacket.of(Opcode.CNP, 0, 0)), with(0x8001, PeerPacket.of(Opcode.CNP, 0, 0)));
        assertEquals(1, trace.counter(NicCounter.RP_CNP_HANDLED) + trace.counter(NicCounter.RP_CNP_IGNORED));
        assertEquals(1, trace.dropped(DropReason.WRONG_PARTITION_KEY));
    }

    @Test
    @DisplayName("R16 the index can change on the way to RTR and in SQD, and one beyond the table is refused")
    void changes() {
        Trace trace = Trace.inRts().partition(TABLE, 0).in(QueuePairState.INIT).open();
        trace.pair.modify(trace.toRtr().partitionKeyIndex(1));
        trace.peerSends(with(0xFFFF, writeOnly(0x100, 8).ackReq())).expectNothing();
        trace.peerSends(with(0x8001, writeOnly(0x100, 8).ackReq()));
        assertKey(0x8001, trace.next());
        trace.pair.modify(trace.toRts());
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD).partitionKeyIndex(3));
        assertEquals(3, trace.pair.query().partitionKeyIndex());
        trace.peerSends(with(0x8002, writeOnly(0x101, 8).ackReq()));
        assertKey(0x8002, trace.next());
        String text = assertThrows(IllegalArgumentException.class,
            () -> trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD).partitionKeyIndex(4))).getMessage();
        assertTrue(text.contains("PARTITION_KEY_INDEX 4") && text.contains("0..3") && text.contains("RXE_PKEYS"), text);
        assertEquals(3, trace.pair.query().partitionKeyIndex());
    }

    @Test
    @DisplayName("M1 R16 the alternate path has a P_Key of its own, which a migration of the peer must match")
    void alternatePath() {
        Trace trace = Trace.inRts().partition(TABLE, 1).twoPorts().open();
        AlternatePath path = new AlternatePath(AddressVector.to(Trace.PEER_OTHER_GID), 2, 10, 3);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS).alternatePath(path).pathMigrationState(PathMigrationState.REARM));
        assertEquals(path, trace.pair.query().alternatePath());
        trace.peerSends(with(0x8001, writeOnly(0x100, 8).ackReq()));
        assertKey(0x8001, trace.next());
        assertEquals(PathMigrationState.ARMED, trace.pair.query().pathMigrationState());
        PeerPacket migration = writeOnly(0x101, 8).ackReq().change(buffer -> Bth.migrationRequest(buffer, 0, true));
        trace.sends(Trace.FROM_OTHER_PORT, with(0x8001, migration)).expectNothing();
        trace.peerSends(with(0x8002, migration)).expectNothing();
        assertEquals(PathMigrationState.ARMED, trace.pair.query().pathMigrationState());
        trace.sends(Trace.FROM_OTHER_PORT, with(0x8002, migration));
        assertKey(0x8002, trace.next());
        assertEquals(3, trace.pair.query().partitionKeyIndex());
        assertEquals(2, trace.pair.query().port());
        assertEquals(1, trace.dropped(DropReason.WRONG_PARTITION_KEY), "that on the primary path");
        trace.sends(Trace.FROM_OTHER_PORT, with(0x8001, writeOnly(0x102, 8).ackReq())).expectNothing();
        assertEquals(2, trace.dropped(DropReason.WRONG_PARTITION_KEY));
        String text = assertThrows(IllegalArgumentException.class, () -> trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS)
            .alternatePath(new AlternatePath(AddressVector.to(Trace.PEER_GID), 1, 10, 9)))).getMessage();
        assertTrue(text.contains("ALTERNATE_PATH P_Key index 9") && text.contains("0..3"), text);
    }
}
