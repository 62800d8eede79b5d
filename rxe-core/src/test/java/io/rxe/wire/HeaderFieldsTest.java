package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * Every field of every header at its boundaries: it is at the bits of the table, which is {@link HeaderField}.
 */
class HeaderFieldsTest {
    private static final int OFFSET = 5;

    @Test
    void everyFieldReadsExactlyItsBits() {
        for (HeaderField field : HeaderField.values()) {
            for (long value : boundaries(field.bits)) {
                for (byte background : new byte[] {0, (byte) 0xFF}) {
                    byte[] bytes = filled(field.headerLength, background);
                    field.set(new UnsafeBuffer(bytes), OFFSET, value);
                    assertEquals(value, field.getter.get(new UnsafeBuffer(bytes), OFFSET), field + " background " + background);
                }
            }
        }
    }

    @Test
    void theMigrationRequestBitIsSetAlone() {
        for (byte background : new byte[] {0, (byte) 0xFF, 0x5A}) {
            for (int value : new int[] {0, 1}) {
                byte[] expected = filled(Bth.LENGTH, background);
                HeaderField.BTH_MIGRATION.set(new UnsafeBuffer(expected), OFFSET, value);
                byte[] bytes = filled(Bth.LENGTH, background);
                Bth.migrationRequest(new UnsafeBuffer(bytes), OFFSET, value != 0);
                assertArrayEquals(expected, bytes, value + " over " + background);
            }
        }
    }

    @Test
    void bthWriteFillsAllTwelveBytes() {
        byte[] bytes = filled(Bth.LENGTH, (byte) 0xA5);
        Bth.write(new UnsafeBuffer(bytes), OFFSET, Opcode.RC_SEND_ONLY, true, 3, 0x123456, true, 0xABCDEF);
        assertArrayEquals(expected("04b0ffff0012345680abcdef"), bytes);
        Bth.write(new UnsafeBuffer(bytes), OFFSET, Opcode.RC_ACKNOWLEDGE, false, 0, 0xFFFFFF, false, 0);
        assertArrayEquals(expected("1100ffff00ffffff00000000"), bytes);
    }

    @Test
    void bthWriteIgnoresBitsAboveTheFields() {
        byte[] bytes = filled(Bth.LENGTH, (byte) 0xA5);
        Bth.write(new UnsafeBuffer(bytes), OFFSET, Opcode.RC_SEND_ONLY, false, 4, 0xFF00_0001, false, 0xFF00_0002);
        assertArrayEquals(expected("0400ffff0000000100000002"), bytes);
    }

    @Test
    void extensionHeaderWritesFillTheWholeHeader() {
        byte[] reth = filled(Reth.LENGTH, (byte) 0xA5);
        Reth.write(new UnsafeBuffer(reth), OFFSET, 0x0102030405060708L, 0x090A0B0C, 0xFFFFFFFFL);
        assertArrayEquals(expected("0102030405060708090a0b0cffffffff"), reth);

        byte[] aeth = filled(Aeth.LENGTH, (byte) 0xA5);
        Aeth.write(new UnsafeBuffer(aeth), OFFSET, 0x63, 0xFFFFFFFF);
        assertArrayEquals(expected("63ffffff"), aeth);

        byte[] deth = filled(Deth.LENGTH, (byte) 0xA5);
        Deth.write(new UnsafeBuffer(deth), OFFSET, 0x80010000, 0xFF123456);
        assertArrayEquals(expected("8001000000123456"), deth);

        byte[] atomicEth = filled(AtomicEth.LENGTH, (byte) 0xA5);
        AtomicEth.write(new UnsafeBuffer(atomicEth), OFFSET, 0x0102030405060708L, 0x090A0B0C, -2, 0x1112131415161718L);
        assertArrayEquals(expected("0102030405060708090a0b0cfffffffffffffffe1112131415161718"), atomicEth);

        byte[] atomicAckEth = filled(AtomicAckEth.LENGTH, (byte) 0xA5);
        AtomicAckEth.write(new UnsafeBuffer(atomicAckEth), OFFSET, 0x8102030405060708L);
        assertArrayEquals(expected("8102030405060708"), atomicAckEth);

        byte[] immDt = filled(ImmDt.LENGTH, (byte) 0xA5);
        ImmDt.write(new UnsafeBuffer(immDt), OFFSET, 0xDEADBEEF);
        assertArrayEquals(expected("deadbeef"), immDt);

        byte[] ieth = filled(Ieth.LENGTH, (byte) 0xA5);
        Ieth.write(new UnsafeBuffer(ieth), OFFSET, 0xCAFEBABE);
        assertArrayEquals(expected("cafebabe"), ieth);

        byte[] feth = filled(Feth.LENGTH, (byte) 0xA5);
        Feth.write(new UnsafeBuffer(feth), OFFSET, 2, 1);
        assertArrayEquals(expected("00000012"), feth);
    }

    @Test
    void theTableOfFieldsCoversEveryDefinedBitOnce() {
        for (String header : List.of("BTH", "RETH", "AETH", "DETH", "ATOMIC", "ATOMICACK", "IMMDT", "IETH", "FETH")) {
            BigInteger seen = BigInteger.ZERO;
            for (HeaderField field : HeaderField.values()) {
                if (field.name().startsWith(header + "_")) {
                    for (int bit = field.firstBit; bit < field.firstBit + field.bits; bit++) {
                        assertFalse(seen.testBit(bit), field + " overlaps at bit " + bit);
                        seen = seen.setBit(bit);
                    }
                }
            }
            assertTrue(seen.bitCount() > 0, header);
        }
    }

    private static long[] boundaries(int bits) {
        if (bits == 64) {
            return new long[] {0, 1, 0x0102030405060708L, Long.MAX_VALUE, Long.MIN_VALUE, -2, -1};
        }
        long max = (1L << bits) - 1;
        return new long[] {0, 1, max / 2, max / 2 + 1, 0x123456789L & max, max - 1, max};
    }

    private static byte[] filled(int headerLength, byte background) {
        byte[] bytes = new byte[OFFSET + headerLength + 3];
        Arrays.fill(bytes, background);
        return bytes;
    }

    private static byte[] expected(String hex) {
        byte[] header = Hex.bytes(hex);
        byte[] bytes = filled(header.length, (byte) 0xA5);
        System.arraycopy(header, 0, bytes, OFFSET, header.length);
        return bytes;
    }
}
