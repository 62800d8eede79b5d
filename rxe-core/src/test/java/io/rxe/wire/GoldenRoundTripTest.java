package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.RoceFrame;
import io.rxe.capture.RoceFrameWriter;
import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Decodes every frame of every capture of a real rdma_rxe into fields and encodes them: the bytes must be the same. */
class GoldenRoundTripTest {
    private static final int RESERVED_IN_CONGESTION_BYTE = 0x3F;
    private static final int RESERVED_IN_ACK_REQUEST_BYTE = 0x7F;

    @Test
    void everyFrameOfEveryCaptureIsRoce() {
        assertEquals(252, GoldenCaptures.names().size());
        assertEquals(238, GoldenCaptures.caseNames().size());
        for (GoldenFrame frame : GoldenCaptures.all()) {
            byte[] bytes = frame.record().bytes();
            assertTrue(frame.roce().decode(new UnsafeBuffer(bytes), 0, bytes.length, frame.record().linkType()), frame.toString());
        }
    }

    @Test
    void fieldsReadAndWrittenAgainAreTheSameBytes() {
        Set<String> withReservedBits = new TreeSet<>();
        Set<Opcode> seen = EnumSet.noneOf(Opcode.class);
        for (GoldenFrame frame : GoldenCaptures.all()) {
            if (frame.opcode() == null) {
                continue;
            }
            seen.add(frame.opcode());
            byte[] expected = frame.packet();
            if (clearReservedBits(expected)) {
                withReservedBits.add(frame.capture());
            }
            byte[] again = new byte[expected.length];
            // Bytes left in the buffer must not get into the packet.
            Arrays.fill(again, (byte) 0xA5);
            encodeAgain(frame, new UnsafeBuffer(again));
            assertArrayEquals(expected, again, frame.toString());
        }
        assertEquals(Set.of("cases/22i_fecn_becn_resv_tos"), withReservedBits);
        assertTrue(seen.size() >= 30, "opcodes seen: " + seen);
    }

    @Test
    void linkAndNetworkHeadersWrittenAgainAreTheSameBytes() {
        byte[] out = new byte[2048];
        UnsafeBuffer outBuffer = new UnsafeBuffer(out);
        for (GoldenFrame frame : GoldenCaptures.all()) {
            RoceFrame roce = frame.roce();
            byte[] original = frame.record().bytes();
            RoceFrameWriter writer = new RoceFrameWriter(roce.source(), roce.destination(), roce.sourcePort(),
                roce.destinationPort())
                .ethernet(low48(original, 6), low48(original, 0)).trafficClass(roce.trafficClass()).hopLimit(roce.hopLimit())
                .dontFragment(roce.isDontFragment()).udpChecksum(roce.udpChecksum());
            int length = writer.write(outBuffer, 0, frame.buffer(), frame.offset(), frame.length(), roce.ipId());
            assertArrayEquals(Arrays.copyOf(original, frame.offset() + frame.length()), Arrays.copyOf(out, length),
                frame.toString());
        }
    }

    private static void encodeAgain(GoldenFrame frame, UnsafeBuffer to) {
        DirectBuffer from = frame.buffer();
        int at = frame.offset();
        Opcode opcode = frame.opcode();
        Bth.write(to, 0, opcode, Bth.isSolicited(from, at), Bth.padCount(from, at), Bth.destinationQpn(from, at),
            Bth.isAckRequested(from, at), Bth.psn(from, at));
        Bth.migrationRequest(to, 0, Bth.isMigrationRequest(from, at));
        HeaderField.BTH_VERSION.set(to, 0, Bth.transportVersion(from, at));
        HeaderField.BTH_PARTITION_KEY.set(to, 0, Bth.partitionKey(from, at));
        HeaderField.BTH_FECN.set(to, 0, Bth.isFecn(from, at) ? 1 : 0);
        HeaderField.BTH_BECN.set(to, 0, Bth.isBecn(from, at) ? 1 : 0);
        if (opcode.isNotification()) {
            to.setMemory(Bth.LENGTH, opcode.headerLength() - Bth.LENGTH, (byte) 0);
        }
        encodeMemoryHeaders(opcode, from, at, to);
        if (opcode.hasDeth()) {
            int o = opcode.dethOffset();
            Deth.write(to, o, Deth.queueKey(from, at + o), Deth.sourceQpn(from, at + o));
        }
        if (opcode.hasAeth()) {
            int o = opcode.aethOffset();
            Aeth.write(to, o, Aeth.syndrome(from, at + o), Aeth.messageSequenceNumber(from, at + o));
        }
        if (opcode.hasAtomicAckEth()) {
            int o = opcode.atomicAckEthOffset();
            AtomicAckEth.write(to, o, AtomicAckEth.originalValue(from, at + o));
        }
        if (opcode.hasImmDt()) {
            int o = opcode.immDtOffset();
            ImmDt.write(to, o, ImmDt.immediateData(from, at + o));
        }
        if (opcode.hasIeth()) {
            int o = opcode.iethOffset();
            Ieth.write(to, o, Ieth.rKey(from, at + o));
        }
        int body = opcode.headerLength();
        to.putBytes(body, from, at + body, frame.length() - body - Icrc.LENGTH);
        Icrc.write(to, frame.length() - Icrc.LENGTH, Icrc.read(from, at + frame.length() - Icrc.LENGTH));
    }

    private static void encodeMemoryHeaders(Opcode opcode, DirectBuffer from, int at, UnsafeBuffer to) {
        if (opcode.hasFeth()) {
            int o = opcode.fethOffset();
            Feth.write(to, o, Feth.placementType(from, at + o), Feth.selectivityLevel(from, at + o));
        }
        if (opcode.hasReth()) {
            int o = opcode.rethOffset();
            Reth.write(to, o, Reth.virtualAddress(from, at + o), Reth.rKey(from, at + o), Reth.dmaLength(from, at + o));
        }
        if (opcode.hasAtomicEth()) {
            int o = opcode.atomicEthOffset();
            AtomicEth.write(to, o, AtomicEth.virtualAddress(from, at + o), AtomicEth.rKey(from, at + o),
                AtomicEth.swapOrAdd(from, at + o), AtomicEth.compare(from, at + o));
        }
    }

    private static boolean clearReservedBits(byte[] packet) {
        boolean any = (packet[4] & RESERVED_IN_CONGESTION_BYTE) != 0 || (packet[8] & RESERVED_IN_ACK_REQUEST_BYTE) != 0;
        packet[4] &= ~RESERVED_IN_CONGESTION_BYTE;
        packet[8] &= ~RESERVED_IN_ACK_REQUEST_BYTE;
        return any;
    }

    private static long low48(byte[] bytes, int from) {
        long value = 0;
        for (int i = 0; i < 6; i++) {
            value = value << 8 | bytes[from + i] & 0xFF;
        }
        return value;
    }
}
