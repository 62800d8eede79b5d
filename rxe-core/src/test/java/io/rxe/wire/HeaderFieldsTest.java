package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * Every field of every header at its boundaries: it is at the bits of the table, and its setter changes no other bit.
 *
 * <p>The table names each field by its bits on the wire, counted from the header's first bit, so that the code's own offsets
 * and masks are not used to check themselves.
 */
class HeaderFieldsTest {
    private static final int OFFSET = 5;

    @Test
    void everyFieldReadsExactlyItsBits() {
        for (Field field : fields()) {
            for (long value : boundaries(field.bits)) {
                for (byte background : new byte[] {0, (byte) 0xFF}) {
                    byte[] bytes = filled(field.headerLength, background);
                    place(bytes, field, value);
                    assertEquals(value, field.getter.get(new UnsafeBuffer(bytes), OFFSET), field + " background " + background);
                }
            }
        }
    }

    @Test
    void everySetterWritesExactlyItsBits() {
        for (Field field : fields()) {
            for (long value : boundaries(field.bits)) {
                for (byte background : new byte[] {0, (byte) 0xFF, 0x5A}) {
                    byte[] expected = filled(field.headerLength, background);
                    place(expected, field, value);
                    byte[] bytes = filled(field.headerLength, background);
                    field.setter.set(new UnsafeBuffer(bytes), OFFSET, value);
                    assertArrayEquals(expected, bytes, field + " = " + Long.toHexString(value) + " over " + background);
                }
            }
        }
    }

    @Test
    void aSetterIgnoresBitsThatDoNotFitTheField() {
        for (Field field : fields()) {
            if (field.bits < 32 && field.bits > 1) {
                byte[] expected = filled(field.headerLength, (byte) 0);
                place(expected, field, 1);
                byte[] bytes = filled(field.headerLength, (byte) 0);
                field.setter.set(new UnsafeBuffer(bytes), OFFSET, 1L << field.bits | 1);
                assertArrayEquals(expected, bytes, field.toString());
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
        for (String header : List.of("Bth", "Reth", "Aeth", "Deth", "AtomicEth", "AtomicAckEth", "ImmDt", "Ieth", "Feth")) {
            BigInteger seen = BigInteger.ZERO;
            for (Field field : fields()) {
                if (field.name.startsWith(header + ".")) {
                    for (int bit = field.firstBit; bit < field.firstBit + field.bits; bit++) {
                        assertFalse(seen.testBit(bit), field + " overlaps at bit " + bit);
                        seen = seen.setBit(bit);
                    }
                }
            }
            assertTrue(seen.bitCount() > 0, header);
        }
    }

    private static List<Field> fields() {
        List<Field> fields = new ArrayList<>();
        fields.add(new Field("Bth.opcode", 12, 0, 8, Bth::opcode, (b, o, v) -> Bth.opcode(b, o, (int) v)));
        fields.add(new Field("Bth.solicited", 12, 8, 1, bit(Bth::isSolicited), (b, o, v) -> Bth.solicited(b, o, v != 0)));
        fields.add(new Field("Bth.migration", 12, 9, 1, bit(Bth::isMigrationRequest), (b, o, v) -> Bth.migrationRequest(b, o,
            v != 0)));
        fields.add(new Field("Bth.padCount", 12, 10, 2, Bth::padCount, (b, o, v) -> Bth.padCount(b, o, (int) v)));
        fields.add(new Field("Bth.version", 12, 12, 4, Bth::transportVersion, (b, o, v) -> Bth.transportVersion(b, o, (int) v)));
        fields.add(new Field("Bth.partitionKey", 12, 16, 16, Bth::partitionKey, (b, o, v) -> Bth.partitionKey(b, o, (int) v)));
        fields.add(new Field("Bth.fecn", 12, 32, 1, bit(Bth::isFecn), (b, o, v) -> Bth.fecn(b, o, v != 0)));
        fields.add(new Field("Bth.becn", 12, 33, 1, bit(Bth::isBecn), (b, o, v) -> Bth.becn(b, o, v != 0)));
        fields.add(new Field("Bth.destinationQpn", 12, 40, 24, Bth::destinationQpn, (b, o, v) -> Bth.destinationQpn(b, o,
            (int) v)));
        fields.add(new Field("Bth.ackRequested", 12, 64, 1, bit(Bth::isAckRequested), (b, o, v) -> Bth.ackRequested(b, o,
            v != 0)));
        fields.add(new Field("Bth.psn", 12, 72, 24, Bth::psn, (b, o, v) -> Bth.psn(b, o, (int) v)));

        fields.add(new Field("Reth.virtualAddress", 16, 0, 64, Reth::virtualAddress, Reth::virtualAddress));
        fields.add(new Field("Reth.rKey", 16, 64, 32, word(Reth::rKey), (b, o, v) -> Reth.rKey(b, o, (int) v)));
        fields.add(new Field("Reth.dmaLength", 16, 96, 32, Reth::dmaLength, Reth::dmaLength));

        fields.add(new Field("Aeth.syndrome", 4, 0, 8, Aeth::syndrome, (b, o, v) -> Aeth.syndrome(b, o, (int) v)));
        fields.add(new Field("Aeth.msn", 4, 8, 24, Aeth::messageSequenceNumber, (b, o, v) -> Aeth.messageSequenceNumber(b, o,
            (int) v)));

        fields.add(new Field("Deth.queueKey", 8, 0, 32, word(Deth::queueKey), (b, o, v) -> Deth.queueKey(b, o, (int) v)));
        fields.add(new Field("Deth.sourceQpn", 8, 40, 24, Deth::sourceQpn, (b, o, v) -> Deth.sourceQpn(b, o, (int) v)));

        fields.add(new Field("AtomicEth.virtualAddress", 28, 0, 64, AtomicEth::virtualAddress, AtomicEth::virtualAddress));
        fields.add(new Field("AtomicEth.rKey", 28, 64, 32, word(AtomicEth::rKey), (b, o, v) -> AtomicEth.rKey(b, o, (int) v)));
        fields.add(new Field("AtomicEth.swapOrAdd", 28, 96, 64, AtomicEth::swapOrAdd, AtomicEth::swapOrAdd));
        fields.add(new Field("AtomicEth.compare", 28, 160, 64, AtomicEth::compare, AtomicEth::compare));

        fields.add(new Field("AtomicAckEth.original", 8, 0, 64, AtomicAckEth::originalValue, AtomicAckEth::originalValue));
        fields.add(new Field("ImmDt.data", 4, 0, 32, word(ImmDt::immediateData), (b, o, v) -> ImmDt.immediateData(b, o,
            (int) v)));
        fields.add(new Field("Ieth.rKey", 4, 0, 32, word(Ieth::rKey), (b, o, v) -> Ieth.rKey(b, o, (int) v)));
        fields.add(new Field("Feth.selectivity", 4, 26, 2, Feth::selectivityLevel, (b, o, v) -> Feth.selectivityLevel(b, o,
            (int) v)));
        fields.add(new Field("Feth.placement", 4, 28, 4, Feth::placementType, (b, o, v) -> Feth.placementType(b, o, (int) v)));
        return fields;
    }

    private static long[] boundaries(int bits) {
        if (bits == 64) {
            return new long[] {0, 1, 0x0102030405060708L, Long.MAX_VALUE, Long.MIN_VALUE, -2, -1};
        }
        long max = (1L << bits) - 1;
        return new long[] {0, 1, max / 2, max / 2 + 1, 0x123456789L & max, max - 1, max};
    }

    private static void place(byte[] bytes, Field field, long value) {
        for (int i = 0; i < field.bits; i++) {
            int bit = field.firstBit + i;
            int mask = 0x80 >> bit % 8;
            boolean one = (value >>> field.bits - 1 - i & 1) != 0;
            int index = OFFSET + bit / 8;
            bytes[index] = (byte) (one ? bytes[index] | mask : bytes[index] & ~mask);
        }
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

    private static Getter bit(BitGetter getter) {
        return (b, o) -> getter.get(b, o) ? 1 : 0;
    }

    private static Getter word(IntGetter getter) {
        return (b, o) -> Integer.toUnsignedLong(getter.get(b, o));
    }

    private interface Getter {
        long get(DirectBuffer buffer, int offset);
    }

    private interface IntGetter {
        int get(DirectBuffer buffer, int offset);
    }

    private interface BitGetter {
        boolean get(DirectBuffer buffer, int offset);
    }

    private interface Setter {
        void set(MutableDirectBuffer buffer, int offset, long value);
    }

    private record Field(String name, int headerLength, int firstBit, int bits, Getter getter, Setter setter) {
        @Override
        public String toString() {
            return name;
        }
    }
}
