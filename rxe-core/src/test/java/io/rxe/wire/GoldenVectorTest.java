package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.LinkType;
import io.rxe.capture.RoceFrame;
import java.util.zip.CRC32;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Packets from other programs, none written by this code. A, B, C, E: scapy's test/contrib/roce.uts (C was captured on a
 * ConnectX-4 Lx adapter); H: open-rdma-driver; ATOMIC_WRITE and FLUSH: laid out by hand after the
 * specification, which neither scapy nor tshark 4.0 knows; the rest: made with scapy 2.7.0. Each ICRC was verified with a separate zlib
 * program.
 */
class GoldenVectorTest {
    private static final String A = "248a07a8fa22248a07a8fa22080045010040047840004011b4d5c0a80007c0a80007c00012b7002caca22460ffff000000d300cf17"
        + "104630818be28935d90e9a95505401be885e50000078f353f3";
    private static final String B = "248a07a8fa22248a07a8fa2286dd6e21face002c11ff2022000000000000000000000000102320230000000000000000000000001024"
        + "c00012b7002ce7c52460ffff000000d300cf17104630818be28935d90e9a95505401be885e5000003e5b743b";
    private static final String C = "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b7002800008100ffff40000118"
        + "000000000000000000000000000000000000000082fd002a";
    private static final String E = "7cfe90753cd87cfe90753cd889156020000000281b4000000000000000000000ffff0f00000200000000000000000000ffff0f000002"
        + "0a70ffff0000010a80a788bc000055d4c0726000000047b3000000050000000001000000e3d856bb";
    private static final String H = "450000bc000100004011f8dac0a80002c0a8000312b712b700a800000a800000000000028000000000007f7e910000000170"
        + "9a330000" + "0080" + "ff".repeat(128) + "c6872298";
    private static final String SEND = "45000034000040004011b6b5c0000201c0000202c00012b7002000000430ffff0000001180ffffff68656c6c6f000000710c8764";
    private static final String SEND_BEEF =
        "45000034beef40004011f7c5c0000201c0000202c00012b7002000000430ffff0000001180ffffff68656c6c6f000000af1a1917";
    private static final String ACK = "45000030000040004011b6b9c0000201c0000202c00012b7001c00001100ffff0000001200ffffff1f000001e2b5f425";
    private static final String WRITE = "45000044000040004011b6a5c0000201c0000202c00012b7003000000a30ffff000000118000000000007f00000010000000"
        + "12340000000568656c6c6f00000058e49288";
    private static final String READ_REQUEST = "4500003c000040004011b6adc0000201c0000202c00012b7002800000c00ffff000000118000000100007f0000001000"
        + "00001234000000059560b978";
    private static final String FETCH_ADD = "45000048000040004011b6a1c0000201c0000202c00012b7003400001400ffff000000118000000200007f00000020"
        + "00000012340000000000000001000000000000000083a6ed41";
    private static final String ATOMIC_WRITE = "45000044000040004011b6a5c0000201c0000202c00012b7003000001d00ffff000000118000000100007f000000002000001234"
        + "000000080102030405060708d34d7071";
    private static final String FLUSH = "45000040000140004011b6a8c0000201c0000202c00012b7002c00001c00ffff00000011800000020000001200007f0000001000"
        + "0000123400002000b98c529b";
    private static final String UD_SEND = "45000038000040004011b6b1c0000201c0000202c00012b7002400006400ffff000000140000000311111111000000"
        + "1370696e675299fd5a";

    private final Icrc icrc = new Icrc();

    @Test
    @DisplayName("A: UC SEND ONLY over IPv4")
    void ucSendOnlyOverIpv4() {
        RoceFrame frame = decode(A, LinkType.ETHERNET);
        assertIcrc(frame, 0x0478);
        assertEquals(Gid.parse("192.168.0.7"), frame.source());
        assertEquals(Gid.parse("192.168.0.7"), frame.destination());
        assertEquals(0xC000, frame.sourcePort());
        assertEquals(1, frame.trafficClass());
        assertEquals(0xACA2, frame.udpChecksum());
        UnsafeBuffer packet = packet(frame);
        assertEquals(Opcode.UC_SEND_ONLY, Opcode.of(Bth.opcode(packet, 0)));
        assertTrue(Bth.isMigrationRequest(packet, 0));
        assertFalse(Bth.isSolicited(packet, 0));
        assertEquals(2, Bth.padCount(packet, 0));
        assertEquals(0xFFFF, Bth.partitionKey(packet, 0));
        assertEquals(0xD3, Bth.destinationQpn(packet, 0));
        assertEquals(0xCF1710, Bth.psn(packet, 0));
        assertFalse(Bth.isAckRequested(packet, 0));
        assertEquals(18, HeaderValidator.payloadLength(packet, 0, packet.capacity(), Opcode.UC_SEND_ONLY));
    }

    @Test
    @DisplayName("B: the same over IPv6, with traffic class and flow label")
    void ucSendOnlyOverIpv6() {
        RoceFrame frame = decode(B, LinkType.ETHERNET);
        assertIcrc(frame, -1);
        assertEquals("2022::1023", frame.source().toString());
        assertEquals("2023::1024", frame.destination().toString());
        assertEquals(0xE2, frame.trafficClass());
        assertEquals(255, frame.hopLimit());
        assertEquals(0xCF1710, Bth.psn(packet(frame), 0));
    }

    @Test
    @DisplayName("C: a CNP from an adapter, and its congestion bit is masked")
    void congestionNotificationFromAnAdapter() {
        RoceFrame frame = decode(C, LinkType.ETHERNET);
        assertIcrc(frame, 0x718C);
        UnsafeBuffer packet = packet(frame);
        assertEquals(0x81, Bth.opcode(packet, 0));
        assertEquals(DropReason.NONE, HeaderValidator.check(packet, 0, packet.capacity()));
        assertEquals(Opcode.CNP, Opcode.of(Bth.opcode(packet, 0)));
        assertEquals(0, HeaderValidator.payloadLength(packet, 0, packet.capacity(), Opcode.CNP));
        assertEquals("CNP qpn 0x118 psn 000000 BECN payload 0", PacketText.of(packet, 0, packet.capacity()));
        assertTrue(Bth.isBecn(packet, 0));
        assertFalse(Bth.isFecn(packet, 0));
        assertEquals(0x118, Bth.destinationQpn(packet, 0));
    }

    @Test
    @DisplayName("E: RoCEv1, whose GRH is masked like IPv6: CRC, BTH and RETH only")
    void roceVersionOneWriteOnly() {
        UnsafeBuffer frame = Hex.buffer(E);
        int bth = 14 + 40;
        int icrcOffset = frame.capacity() - 4;
        byte[] covered = new byte[8 + icrcOffset - 14];
        frame.getBytes(14, covered, 8, covered.length - 8);
        for (int masked : new int[] {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 15, 8 + 40 + 4}) {
            covered[masked] = (byte) 0xFF;
        }
        covered[8] |= 0x0F;
        CRC32 crc = new CRC32();
        crc.update(covered);
        assertEquals((int) crc.getValue(), Icrc.read(frame, icrcOffset));
        assertEquals(Opcode.RC_RDMA_WRITE_ONLY, Opcode.of(Bth.opcode(frame, bth)));
        assertTrue(Bth.isMigrationRequest(frame, bth));
        assertEquals(3, Bth.padCount(frame, bth));
        assertEquals(0x10A, Bth.destinationQpn(frame, bth));
        assertTrue(Bth.isAckRequested(frame, bth));
        assertEquals(0xA788BC, Bth.psn(frame, bth));
        int reth = bth + Opcode.RC_RDMA_WRITE_ONLY.rethOffset();
        assertEquals(0x000055D4C0726000L, Reth.virtualAddress(frame, reth));
        assertEquals(0x47B3, Reth.rKey(frame, reth));
        assertEquals(5, Reth.dmaLength(frame, reth));
        UnsafeBuffer request = Hex.buffer(E);
        assertFalse(new RoceFrame().decode(request, 0, request.capacity(), LinkType.ETHERNET));
    }

    @Test
    @DisplayName("H: RC WRITE ONLY without the do-not-fragment flag: the reference accepts any flags, the fast path rejects the packet")
    void rcWriteOnlyWithoutDoNotFragment() {
        RoceFrame frame = decode(H, LinkType.IPV4);
        assertTrue(frame.isIcrcGood());
        assertFalse(frame.isDontFragment());
        assertEquals(1, frame.ipId());
        assertEquals(-1, icrc.recoverIpId(frame.buffer(), frame.payloadOffset(), frame.payloadLength(), frame.seed()));
        UnsafeBuffer packet = packet(frame);
        assertEquals(DropReason.NONE, HeaderValidator.check(packet, 0, packet.capacity()));
        assertEquals(0x00007F7E91000000L, Reth.virtualAddress(packet, 12));
        assertEquals(0x01709A33, Reth.rKey(packet, 12));
        assertEquals(128, Reth.dmaLength(packet, 12));
        assertEquals(128, HeaderValidator.payloadLength(packet, 0, packet.capacity(), Opcode.RC_RDMA_WRITE_ONLY));
    }

    @Test
    void rcSendOnlyWithTwoIdentifications() {
        RoceFrame zero = decode(SEND, LinkType.IPV4);
        RoceFrame beef = decode(SEND_BEEF, LinkType.RAW_IP);
        assertIcrc(zero, 0);
        assertIcrc(beef, 0xBEEF);
        UnsafeBuffer built = new UnsafeBuffer(new byte[24]);
        Bth.write(built, 0, Opcode.RC_SEND_ONLY, false, 3, 0x11, true, 0xFFFFFF);
        built.putStringWithoutLengthAscii(12, "hello");
        assertBuilt(zero, built);
        assertBuilt(beef, built);
    }

    @Test
    void rcAcknowledge() {
        RoceFrame frame = decode(ACK, LinkType.IPV4);
        UnsafeBuffer built = new UnsafeBuffer(new byte[20]);
        Bth.write(built, 0, Opcode.RC_ACKNOWLEDGE, false, 0, 0x12, false, 0xFFFFFF);
        Aeth.write(built, Opcode.RC_ACKNOWLEDGE.aethOffset(), Syndrome.ACK_UNLIMITED, 1);
        assertBuilt(frame, built);
    }

    @Test
    void rcWriteOnly() {
        RoceFrame frame = decode(WRITE, LinkType.IPV4);
        UnsafeBuffer built = new UnsafeBuffer(new byte[40]);
        Bth.write(built, 0, Opcode.RC_RDMA_WRITE_ONLY, false, 3, 0x11, true, 0);
        Reth.write(built, Opcode.RC_RDMA_WRITE_ONLY.rethOffset(), 0x7F0000001000L, 0x1234, 5);
        built.putStringWithoutLengthAscii(Opcode.RC_RDMA_WRITE_ONLY.headerLength(), "hello");
        assertBuilt(frame, built);
    }

    @Test
    @DisplayName("R20 RC ATOMIC_WRITE: RETH, then eight bytes")
    void rcAtomicWrite() {
        RoceFrame frame = decode(ATOMIC_WRITE, LinkType.IPV4);
        UnsafeBuffer built = new UnsafeBuffer(new byte[40]);
        Bth.write(built, 0, Opcode.RC_ATOMIC_WRITE, false, 0, 0x11, true, 1);
        Reth.write(built, Opcode.RC_ATOMIC_WRITE.rethOffset(), 0x7F0000000020L, 0x1234, 8);
        built.putBytes(Opcode.RC_ATOMIC_WRITE.headerLength(), new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        assertBuilt(frame, built);
    }

    @Test
    @DisplayName("R21 RC FLUSH: FETH, then RETH; persistence of a whole region")
    void rcFlush() {
        RoceFrame frame = decode(FLUSH, LinkType.IPV4);
        UnsafeBuffer built = new UnsafeBuffer(new byte[36]);
        Bth.write(built, 0, Opcode.RC_FLUSH, false, 0, 0x11, true, 2);
        Feth.write(built, Opcode.RC_FLUSH.fethOffset(), 2, 1);
        Reth.write(built, Opcode.RC_FLUSH.rethOffset(), 0x7F0000001000L, 0x1234, 0x2000);
        assertBuilt(frame, built);
    }

    @Test
    void rcReadRequest() {
        RoceFrame frame = decode(READ_REQUEST, LinkType.IPV4);
        UnsafeBuffer built = new UnsafeBuffer(new byte[32]);
        Bth.write(built, 0, Opcode.RC_RDMA_READ_REQUEST, false, 0, 0x11, true, 1);
        Reth.write(built, Opcode.RC_RDMA_READ_REQUEST.rethOffset(), 0x7F0000001000L, 0x1234, 5);
        assertBuilt(frame, built);
    }

    @Test
    void rcFetchAdd() {
        RoceFrame frame = decode(FETCH_ADD, LinkType.IPV4);
        UnsafeBuffer built = new UnsafeBuffer(new byte[44]);
        Bth.write(built, 0, Opcode.RC_FETCH_ADD, false, 0, 0x11, true, 2);
        AtomicEth.write(built, Opcode.RC_FETCH_ADD.atomicEthOffset(), 0x7F0000002000L, 0x1234, 1, 0);
        assertBuilt(frame, built);
    }

    @Test
    void udSendOnly() {
        RoceFrame frame = decode(UD_SEND, LinkType.IPV4);
        UnsafeBuffer built = new UnsafeBuffer(new byte[28]);
        Bth.write(built, 0, Opcode.UD_SEND_ONLY, false, 0, 0x14, false, 3);
        Deth.write(built, Opcode.UD_SEND_ONLY.dethOffset(), 0x11111111, 0x13);
        built.putStringWithoutLengthAscii(Opcode.UD_SEND_ONLY.headerLength(), "ping");
        assertBuilt(frame, built);
    }

    /** Writing the same fields must give the same bytes as the other program, including the ICRC. */
    private void assertBuilt(RoceFrame frame, UnsafeBuffer built) {
        assertIcrc(frame, frame.ipId());
        int covered = built.capacity() - 4;
        Icrc.write(built, covered, icrc.compute(built, 0, covered, frame.seed(), true, frame.ipId()));
        assertEquals(packet(frame), built);
    }

    private void assertIcrc(RoceFrame frame, int expectedId) {
        assertFalse(frame.isTruncated());
        assertTrue(frame.isIcrcGood());
        assertEquals(expectedId, frame.ipId());
        int length = frame.payloadLength();
        int stored = Icrc.read(frame.buffer(), frame.payloadOffset() + length - 4);
        int computed = icrc.compute(frame.buffer(), frame.payloadOffset(), length - 4, frame.seed(), frame.isIpv4(), expectedId);
        assertEquals(stored, computed);
        if (frame.isIpv4()) {
            assertEquals(expectedId, icrc.recoverIpId(frame.buffer(), frame.payloadOffset(), length, frame.seed()));
        } else {
            assertTrue(icrc.isValidIpv6(frame.buffer(), frame.payloadOffset(), length, frame.seed()));
        }
    }

    private static RoceFrame decode(String hex, int linkType) {
        RoceFrame frame = new RoceFrame();
        UnsafeBuffer buffer = Hex.buffer(hex);
        assertTrue(frame.decode(buffer, 0, buffer.capacity(), linkType));
        return frame;
    }

    private static UnsafeBuffer packet(RoceFrame frame) {
        return new UnsafeBuffer(frame.buffer(), frame.payloadOffset(), frame.payloadLength());
    }
}
