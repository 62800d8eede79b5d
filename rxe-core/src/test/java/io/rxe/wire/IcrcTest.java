package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.RoceFrameWriter;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class IcrcTest {
    private static final Gid A4 = Gid.parse("10.99.0.2");
    private static final Gid B4 = Gid.parse("10.99.0.3");
    private static final Gid A6 = Gid.parse("fd99::2");
    private static final Gid B6 = Gid.parse("fd99::3");
    private static final int LONGEST = HeaderValidator.MAX_LENGTH - Icrc.LENGTH;

    private static final String CAPTURED_FLUSH = "45000040c9d6400040115c070a6300090a630001e39512b7002c00001c00ffff"
        + "0053a51980fffff10000000100007f800425c320d7931bc200000001761871d2";

    private final Icrc icrc = new Icrc();
    private final Random random = new Random(42);

    @Test
    void theFastPathEqualsTheReferenceForEveryLength() {
        UnsafeBuffer frame = new UnsafeBuffer(new byte[RoceFrameWriter.MAX_HEADER_LENGTH + LONGEST + Icrc.LENGTH]);
        for (int length = Bth.LENGTH; length <= LONGEST; length++) {
            Gid source = Gid.ofIpv4(random.nextInt());
            Gid destination = Gid.ofIpv4(random.nextInt());
            int port = random.nextInt(65536);
            int ipId = random.nextInt(65536);
            UnsafeBuffer packet = randomPacket(length + Icrc.LENGTH);
            assertEquals(reference(frame, source, destination, port, packet, ipId),
                icrc.compute(packet, 0, length, Icrc.seed(source, destination, port, 4791), true, ipId), "length " + length);
            source = new Gid(random.nextLong(), random.nextLong());
            destination = new Gid(random.nextLong(), random.nextLong());
            assertEquals(reference(frame, source, destination, port, packet, 0),
                icrc.compute(packet, 0, length, Icrc.seed(source, destination, port, 4791), false, ipId), "length " + length);
        }
    }

    @Test
    void everyIdentificationIsRecovered() {
        int seed = Icrc.seed(A4, B4, 0xC123, 4791);
        UnsafeBuffer packet = randomPacket(60);
        for (int ipId = 0; ipId < 65536; ipId++) {
            Icrc.write(packet, 56, icrc.compute(packet, 0, 56, seed, true, ipId));
            assertEquals(ipId, icrc.recoverIpId(packet, 0, 60, seed));
        }
    }

    @Test
    void everyBitOfTheLongestPacketIsCovered() {
        int seed = Icrc.seed(A4, B4, 0xC123, 4791);
        int seed6 = Icrc.seed(A6, B6, 0xC123, 4791);
        UnsafeBuffer packet = randomPacket(LONGEST + Icrc.LENGTH);
        UnsafeBuffer packet6 = randomPacket(LONGEST + Icrc.LENGTH);
        Icrc.write(packet, LONGEST, icrc.compute(packet, 0, LONGEST, seed, true, 0x1234));
        Icrc.write(packet6, LONGEST, icrc.compute(packet6, 0, LONGEST, seed6, false, 0));
        for (int bit = 0; bit < 8 * (LONGEST + Icrc.LENGTH); bit++) {
            boolean masked = bit / 8 == 4;
            flip(packet, bit);
            assertEquals(masked ? 0x1234 : -1, icrc.recoverIpId(packet, 0, LONGEST + Icrc.LENGTH, seed), "bit " + bit);
            flip(packet, bit);
            flip(packet6, bit);
            assertEquals(masked, icrc.isValidIpv6(packet6, 0, LONGEST + Icrc.LENGTH, seed6), "bit " + bit);
            flip(packet6, bit);
        }
    }

    @Test
    void randomCorruptionIsMissedOnceInSixtyFiveThousand() {
        int seed = Icrc.seed(A4, B4, 0xC123, 4791);
        UnsafeBuffer packet = randomPacket(100);
        int accepted = 0;
        for (int i = 0; i < 400_000; i++) {
            packet.putLong(12 + random.nextInt(76), random.nextLong());
            if (icrc.recoverIpId(packet, 0, 100, seed) >= 0) {
                accepted++;
            }
        }
        // 6.1 are expected; the probability of more than 20 is one in a million.
        assertTrue(accepted <= 20, accepted + " of 400,000");
    }

    @Test
    void congestionBitsSetInTheNetworkDoNotMatter() {
        int seed = Icrc.seed(A4, B4, 0xC123, 4791);
        for (int before = 0; before < 256; before += 5) {
            UnsafeBuffer packet = randomPacket(64);
            packet.putByte(4, (byte) before);
            Icrc.write(packet, 60, icrc.compute(packet, 0, 60, seed, true, 77));
            for (int after = 0; after < 256; after++) {
                packet.putByte(4, (byte) after);
                assertEquals(77, icrc.recoverIpId(packet, 0, 64, seed));
            }
        }
    }

    @Test
    void everyKindOfBufferGivesTheSameIcrc() {
        int seed = Icrc.seed(A6, B6, 0xC123, 4791);
        byte[] bytes = new byte[200];
        random.nextBytes(bytes);
        int expected = icrc.compute(new UnsafeBuffer(bytes), 33, 120, seed, false, 0);

        ByteBuffer direct = ByteBuffer.allocateDirect(300);
        direct.position(7).limit(207);
        ByteBuffer directSlice = direct.slice();
        directSlice.put(bytes).position(3).limit(11);
        ByteBuffer heap = ByteBuffer.allocate(300);
        heap.position(9).limit(209);
        ByteBuffer heapSlice = heap.slice();
        heapSlice.put(bytes).clear();
        ByteBuffer directWhole = ByteBuffer.allocateDirect(250);
        directWhole.position(50).put(bytes).position(0);

        DirectBuffer[] buffers = {new UnsafeBuffer(bytes, 10, 190), new UnsafeBuffer(directSlice, 0, 200),
            new UnsafeBuffer(heapSlice),
            new UnsafeBuffer(directWhole, 50, 200), new UnsafeBuffer(BufferUtil.address(directWhole) + 50, 200)};
        int[] offsets = {23, 33, 33, 33, 33};
        for (int i = 0; i < buffers.length; i++) {
            assertEquals(expected, icrc.compute(buffers[i], offsets[i], 120, seed, false, 0), "buffer " + i);
        }
        assertEquals(3, directSlice.position());
        assertEquals(11, directSlice.limit());
    }

    @Test
    void theIcrcIsStoredLeastSignificantByteFirst() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[6]);
        Icrc.write(buffer, 1, 0x01020304);
        assertEquals(Hex.buffer("000403020100"), buffer);
        assertEquals(0x01020304, Icrc.read(buffer, 1));
    }

    @Test
    void lengthsOutOfRangeAreRejected() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[9000]);
        assertThrows(IllegalArgumentException.class, () -> icrc.compute(buffer, 0, 11, 0, true, 0));
        assertThrows(IllegalArgumentException.class, () -> icrc.compute(buffer, 0, Icrc.MAX_COVERED_LENGTH + 1, 0, true, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> icrc.compute(buffer, 8990, 12, 0, true, 0));
        for (int length : new int[] {-1, 0, 3, 4, 15, Icrc.MAX_COVERED_LENGTH + 5, 9000}) {
            assertEquals(-1, icrc.recoverIpId(buffer, 0, length, 0));
            assertFalse(icrc.isValidIpv6(buffer, 0, length, 0));
        }
    }

    @Test
    void theIcrcOfAFlushMayCoverTheHeadersTwice() {
        // Captured: kernel 6.12.107 sends a FLUSH to 10.99.0.1.
        byte[] captured = HexFormat.of().parseHex(CAPTURED_FLUSH);
        UnsafeBuffer frame = new UnsafeBuffer(captured);
        int bth = 28;
        int icrcAt = captured.length - Icrc.LENGTH;
        assertTrue(Icrc.isGood(frame, 0, bth, icrcAt));
        int seed = Icrc.seed(Gid.parse("10.99.0.9"), Gid.parse("10.99.0.1"), frame.getShort(20, BIG_ENDIAN) & 0xFFFF, 4791);
        int ipId = frame.getShort(4, BIG_ENDIAN) & 0xFFFF;
        int length = captured.length - bth;
        assertEquals(ipId, icrc.recoverIpId(frame, bth, length, seed));
        int specified = icrc.compute(frame, bth, length - Icrc.LENGTH, seed, true, ipId);
        assertEquals(Icrc.read(frame, icrcAt), icrc.coverTwice(frame, bth, length - Icrc.LENGTH, specified));
        Icrc.write(frame, icrcAt, specified);
        assertEquals(ipId, icrc.recoverIpId(frame, bth, length, seed));
        // Over IPv6, and not for other opcodes.
        int seed6 = Icrc.seed(A6, B6, 0xC123, 4791);
        specified = icrc.compute(frame, bth, length - Icrc.LENGTH, seed6, false, 0);
        Icrc.write(frame, icrcAt, icrc.coverTwice(frame, bth, length - Icrc.LENGTH, specified));
        assertTrue(icrc.isValidIpv6(frame, bth, length, seed6));
        frame.putByte(bth, (byte) Opcode.RC_ATOMIC_WRITE.code());
        specified = icrc.compute(frame, bth, length - Icrc.LENGTH, seed6, false, 0);
        Icrc.write(frame, icrcAt, icrc.coverTwice(frame, bth, length - Icrc.LENGTH, specified));
        assertFalse(icrc.isValidIpv6(frame, bth, length, seed6));
    }

    @Test
    void theIcrcOfAFlushOverXrcCoversTheHeadersOnce() {
        UnsafeBuffer packet = randomPacket(Opcode.XRC_FLUSH.headerLength() + Icrc.LENGTH);
        int covered = Opcode.XRC_FLUSH.headerLength();
        packet.putByte(0, (byte) Opcode.XRC_FLUSH.code());
        int seed = Icrc.seed(A6, B6, 0xC123, 4791);
        int specified = icrc.compute(packet, 0, covered, seed, false, 0);
        Icrc.write(packet, covered, specified);
        assertTrue(icrc.isValidIpv6(packet, 0, covered + Icrc.LENGTH, seed));
        Icrc.write(packet, covered, icrc.coverTwice(packet, 0, covered, specified));
        assertFalse(icrc.isValidIpv6(packet, 0, covered + Icrc.LENGTH, seed));
    }

    @Test
    void noPacketHasALengthThatIsNoMultipleOfFour() {
        int seed = Icrc.seed(A4, B4, 0xC123, 4791);
        int seed6 = Icrc.seed(A6, B6, 0xC123, 4791);
        for (int length = 100; length < 108; length++) {
            UnsafeBuffer packet = randomPacket(length);
            int covered = length - Icrc.LENGTH;
            Icrc.write(packet, covered, icrc.compute(packet, 0, covered, seed, true, 7));
            assertEquals(length % 4 == 0 ? 7 : -1, icrc.recoverIpId(packet, 0, length, seed), "length " + length);
            Icrc.write(packet, covered, icrc.compute(packet, 0, covered, seed6, false, 0));
            assertEquals(length % 4 == 0, icrc.isValidIpv6(packet, 0, length, seed6), "length " + length);
        }
    }

    @Test
    void aSeedNeedsOneAddressFamily() {
        String message = assertThrows(IllegalArgumentException.class, () -> Icrc.seed(A4, B6, 1, 4791)).getMessage();
        assertTrue(message.contains("fd99::3"), message);
    }

    private UnsafeBuffer randomPacket(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return new UnsafeBuffer(bytes);
    }

    private static int reference(UnsafeBuffer frame, Gid source, Gid destination, int port, UnsafeBuffer packet, int ipId) {
        RoceFrameWriter writer = new RoceFrameWriter(source, destination, port, 4791).hopLimit(3).trafficClass(0x5A);
        int length = writer.write(frame, 0, packet, 0, packet.capacity(), ipId);
        return Icrc.reference(frame, 14, length - 14 - Icrc.LENGTH);
    }

    private static void flip(UnsafeBuffer buffer, int bit) {
        buffer.putByte(bit / 8, (byte) (buffer.getByte(bit / 8) ^ 0x80 >> bit % 8));
    }
}
