package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GapReportTest {
    private static final String NO_GAP = "01000000" + "00000020" + "00000000" + "00001000";
    private static final String TWO_GAPS = "01020000" + "00000042" + "00000002" + "00001000" + "00000010" + "00000003" + "00000020"
        + "00000001";
    private static final String ACROSS_ZERO = "01010000" + "00000001" + "ffffffff" + "00000400" + "00fffffe" + "00000002";

    @Test
    @DisplayName("G2: the bytes are those of the rule")
    void itWritesTheBytesOfTheRule() {
        byte[] bytes = new byte[GapReport.lengthBytes(2) + 2];
        Arrays.fill(bytes, (byte) 0x55);
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        GapReport.write(buffer, 1, 2, 0x42, 2, 4096);
        GapReport.writeGap(buffer, 1, 0, 0xFF00_0010, 3);
        GapReport.writeGap(buffer, 1, 1, 0x20, 1);
        assertArrayEquals(Hex.bytes("55" + TWO_GAPS + "55"), bytes);
    }

    @Test
    @DisplayName("G2: every field is read from its bytes")
    void itReadsTheBytesOfTheRule() {
        UnsafeBuffer report = Hex.buffer(TWO_GAPS);
        assertEquals(2, GapReport.gaps(report, 0));
        assertEquals(0x10, GapReport.expectedPsn(report, 0));
        assertEquals(0x42, GapReport.endPsn(report, 0));
        assertEquals(2, GapReport.duplicates(report, 0));
        assertEquals(4096, GapReport.room(report, 0));
        assertEquals(0x10, GapReport.firstPsn(report, 0, 0));
        assertEquals(3, GapReport.packets(report, 0, 0));
        assertEquals(0x20, GapReport.firstPsn(report, 0, 1));
        assertEquals(1, GapReport.packets(report, 0, 1));
        assertEquals(0x20, GapReport.expectedPsn(Hex.buffer(NO_GAP), 0));
        assertEquals(0xFFFFFE, GapReport.expectedPsn(Hex.buffer(ACROSS_ZERO), 0));
        assertEquals(-1, GapReport.duplicates(Hex.buffer(ACROSS_ZERO), 0));
    }

    @Test
    @DisplayName("G2: a report that contradicts the rule is not valid")
    void everyContradictionIsFound() {
        for (String good : List.of(NO_GAP, TWO_GAPS, ACROSS_ZERO)) {
            assertTrue(isValid(good), good);
            for (int length = 0; length < good.length() / 2; length++) {
                assertFalse(isValid(good.substring(0, 2 * length)), good + " cut to " + length);
            }
            assertFalse(isValid(good + "00000000"), good + " and 4 bytes more");
        }
        List<String> bad = List.of(
            "00" + NO_GAP.substring(2), "02" + NO_GAP.substring(2), // the version
            "0100" + "0001" + NO_GAP.substring(8), // reserved bytes
            "01000000" + "01000020" + NO_GAP.substring(16), // a PSN of 25 bits
            NO_GAP.substring(0, 24) + "00800000", NO_GAP.substring(0, 24) + "ffffffff", // room for more than half the PSNs
            TWO_GAPS.replace("0000001000000003", "0100001000000003"),
            TWO_GAPS.replace("0000001000000003", "0000001000000000"), // a gap of no packet
            TWO_GAPS.replace("0000001000000003", "0000001000000010"), // gaps that touch
            TWO_GAPS.replace("0000001000000003", "0000002100000003"), // gaps that descend
            TWO_GAPS.replace("0000002000000001", "00000020ffffffff"),
            TWO_GAPS.replace("0000002000000001", "0000002000000022"), // nothing has arrived behind the last gap
            TWO_GAPS.replace("00000042", "00000020"), TWO_GAPS.replace("00000042", "00800010"));
        for (String report : bad) {
            assertFalse(isValid(report), report);
        }
        assertTrue(isValid(TWO_GAPS.replace("00000042", "0080000f")));
        assertTrue(isValid(TWO_GAPS.replace("0000002000000001", "0000002000000021")));
        assertTrue(isValid(NO_GAP.substring(0, 24) + "007fffff"));
    }

    @Test
    void asManyGapsFitAsThePathMtuCarries() {
        int most = GapReport.MAX_GAPS;
        UnsafeBuffer report = new UnsafeBuffer(new byte[GapReport.lengthBytes(most + 1)]);
        for (int gap = 0; gap <= most; gap++) {
            GapReport.writeGap(report, 0, gap, 0xFFFFF8 + 2 * gap, 1);
        }
        GapReport.write(report, 0, most, 0xFFFFF8 + 2 * most, 0, 0);
        assertTrue(GapReport.isValid(report, 0, GapReport.lengthBytes(most)));
        GapReport.write(report, 0, most + 1, 0xFFFFF8 + 2 * most + 2, 0, 0);
        assertFalse(GapReport.isValid(report, 0, GapReport.lengthBytes(most + 1)));
        for (int mtu : new int[] {256, 512, 1024, 4096}) {
            assertTrue(GapReport.lengthBytes(GapReport.maxGaps(mtu)) <= mtu);
        }
    }

    /** A report is valid exactly if it is what some receiver writes: the packets it speaks of give its bytes again. */
    @Test
    void randomReportsAreValidIfAReceiverCouldWriteThem() {
        Random random = new Random(11);
        int good = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[GapReport.lengthBytes(random.nextInt(4))];
            UnsafeBuffer report = new UnsafeBuffer(bytes);
            int expected = random.nextInt(4) == 0 ? 0xFFFFFA : random.nextInt(1 << 24);
            int gaps = (bytes.length - 16) / 8;
            int psn = expected;
            for (int gap = 0; gap < gaps; gap++) {
                psn += gap == 0 ? 0 : random.nextInt(3);
                int packets = random.nextInt(4);
                GapReport.writeGap(report, 0, gap, psn, packets);
                psn += packets;
            }
            GapReport.write(report, 0, gaps, psn + random.nextInt(3), random.nextInt(), random.nextInt(1 << 20));
            if (random.nextInt(8) == 0) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            boolean isValid = GapReport.isValid(report, 0, bytes.length);
            assertEquals(Arrays.equals(bytes, writtenAgain(report)), isValid, HexFormat.of().formatHex(bytes));
            good += isValid ? 1 : 0;
        }
        assertTrue(good > 10_000 && good < 90_000, good + " of 100000 were valid");
    }

    /** Writes the report of a receiver that has what a report says; null when the report is not about any set of packets. */
    private static byte[] writtenAgain(UnsafeBuffer report) {
        int gaps = (report.capacity() - 16) / 8;
        int expected = gaps == 0 ? GapReport.endPsn(report, 0) : GapReport.firstPsn(report, 0, 0);
        int span = Psn.subtract(GapReport.endPsn(report, 0), expected);
        BitSet missing = new BitSet();
        for (int gap = 0; gap < gaps; gap++) {
            int from = Psn.subtract(GapReport.firstPsn(report, 0, gap), expected);
            int packets = GapReport.packets(report, 0, gap);
            if (from < 0 || packets < 0 || (long) from + packets > span) {
                return null;
            }
            missing.set(from, from + packets);
        }
        if (span < 0 || GapReport.room(report, 0) < 0 || GapReport.room(report, 0) > 0x7FFFFF || span > 0 && missing.get(span - 1)) {
            return null;
        }
        List<int[]> runs = new ArrayList<>();
        for (int from = missing.nextSetBit(0); from >= 0; from = missing.nextSetBit(missing.nextClearBit(from))) {
            runs.add(new int[] {from, missing.nextClearBit(from) - from});
        }
        UnsafeBuffer again = new UnsafeBuffer(new byte[16 + 8 * runs.size()]);
        GapReport.write(again, 0, runs.size(), GapReport.endPsn(report, 0), GapReport.duplicates(report, 0), GapReport.room(report, 0));
        for (int run = 0; run < runs.size(); run++) {
            GapReport.writeGap(again, 0, run, expected + runs.get(run)[0], runs.get(run)[1]);
        }
        return again.byteArray();
    }

    private static boolean isValid(String report) {
        UnsafeBuffer buffer = Hex.buffer(report);
        return GapReport.isValid(buffer, 0, buffer.capacity());
    }
}
