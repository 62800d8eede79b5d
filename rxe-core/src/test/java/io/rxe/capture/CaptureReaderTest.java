package io.rxe.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class CaptureReaderTest {
    private static final String PCAP_LITTLE = "d4c3b2a1" + "02000400" + "00000000" + "00000000" + "ffff0000" + "01000000";
    private static final String RECORD_LITTLE = "0500000007000000" + "0300000009000000" + "aabbcc";
    private static final String SECTION_BIG = "0a0d0d0a" + "0000001c" + "1a2b3c4d" + "00010000" + "ffffffffffffffff" + "0000001c";
    private static final String SECTION_LITTLE = "0a0d0d0a" + "1c000000" + "4d3c2b1a" + "01000000" + "ffffffffffffffff"
        + "1c000000";

    @Test
    void pcapIsReadInBothByteOrdersAndBothResolutions() throws IOException {
        String bigRecord = "0000000500000007" + "0000000300000009" + "aabbcc";
        String bigHeader = "00020004" + "00000000" + "00000000" + "0000ffff" + "00000114";
        assertOneRecord(PCAP_LITTLE + RECORD_LITTLE, 5_000_007_000L, LinkType.ETHERNET);
        assertOneRecord("4d3cb2a1" + PCAP_LITTLE.substring(8) + RECORD_LITTLE, 5_000_000_007L, LinkType.ETHERNET);
        assertOneRecord("a1b2c3d4" + bigHeader + bigRecord, 5_000_007_000L, LinkType.LINUX_SLL2);
        assertOneRecord("a1b23c4d" + bigHeader + bigRecord, 5_000_000_007L, LinkType.LINUX_SLL2);
    }

    @Test
    void timesAfterTheYear2038AreRead() throws IOException {
        assertEquals(0xFFFFFFFFL * 1_000_000_000,
            read(PCAP_LITTLE + "ffffffff00000000" + "0000000000000000").get(0).timestampNs());
    }

    @Test
    void pcapNgIsReadWithCommentDirectionAndForeignBlocksSkipped() throws IOException {
        String statistics = "00000005" + "00000010" + "00000000" + "00000010";
        String hostInterface = "00000001" + "00000014" + "00650000" + "00000000" + "00000014";
        String packet = "00000006" + "00000040" + "00000000" + "00000001" + "00000002" + "00000003" + "00000009" + "aabbcc00"
            + "00020004" + "00000001" + "00010005" + "68656c6c6f000000" + "00630000" + "00000000" + "00000040";
        List<CaptureRecord> records = read(SECTION_BIG + statistics + hostInterface + packet);
        assertEquals(1, records.size());
        CaptureRecord record = records.get(0);
        assertEquals(((1L << 32) + 2) * 1000, record.timestampNs());
        assertEquals(LinkType.RAW_IP, record.linkType());
        assertArrayEquals(new byte[] {(byte) 0xAA, (byte) 0xBB, (byte) 0xCC}, record.bytes());
        assertEquals(9, record.originalLength());
        assertEquals(Direction.INBOUND, record.direction());
        assertEquals("hello", record.comment());
    }

    @Test
    void aNewSectionMayChangeByteOrderAndInterfaces() throws IOException {
        String bigInterface = "00000001" + "00000014" + "00650000" + "00000000" + "00000014";
        String littleInterface = "01000000" + "14000000" + "71000000" + "00000000" + "14000000";
        String bigSimple = "00000003" + "00000014" + "00000002" + "abcd0000" + "00000014";
        String littleSimple = "03000000" + "14000000" + "04000000" + "01020304" + "14000000";
        List<CaptureRecord> records = read(SECTION_BIG + bigInterface + bigSimple + SECTION_LITTLE + littleInterface
            + littleSimple);
        assertEquals(2, records.size());
        assertEquals(LinkType.RAW_IP, records.get(0).linkType());
        assertArrayEquals(new byte[] {(byte) 0xAB, (byte) 0xCD}, records.get(0).bytes());
        assertEquals(LinkType.LINUX_SLL, records.get(1).linkType());
        assertArrayEquals(new byte[] {1, 2, 3, 4}, records.get(1).bytes());
        assertEquals(Direction.UNKNOWN, records.get(1).direction());
    }

    @Test
    void aSimplePacketIsTruncatedAtTheSnapshotLength() throws IOException {
        String description = "01000000" + "14000000" + "01000000" + "02000000" + "14000000";
        String simple = "03000000" + "14000000" + "09000000" + "abcd0000" + "14000000";
        CaptureRecord record = read(SECTION_LITTLE + description + simple).get(0);
        assertArrayEquals(new byte[] {(byte) 0xAB, (byte) 0xCD}, record.bytes());
        assertEquals(9, record.originalLength());
    }

    @Test
    void everyTimeResolutionBecomesNanoseconds() {
        assertEquals(1_500_000_000L, new TimeScale(3, 0).toNs(1500));
        assertEquals(1_500_000L, new TimeScale(6, 0).toNs(1500));
        assertEquals(1500L, new TimeScale(9, 0).toNs(1500));
        assertEquals(15L, new TimeScale(12, 0).toNs(15_999));
        assertEquals(1_500_000_000L, new TimeScale(0x81, 0).toNs(3));
        assertEquals(1_700_000_000_500_000_000L, new TimeScale(0x80 | 32, 0).toNs(1_700_000_000L << 32 | 0x80000000L));
        assertEquals(100_000_001_500L, new TimeScale(9, 100).toNs(1500));
    }

    @Test
    void aRecordFromAPipeIsReturnedBeforeTheNextIsWritten() throws IOException {
        Pipe pipe = new Pipe();
        pipe.write(PCAP_LITTLE);
        try (CaptureReader reader = new CaptureReader(pipe)) {
            for (int i = 0; i < 3; i++) {
                pipe.write(RECORD_LITTLE);
                assertEquals(3, reader.read().bytes().length);
            }
            pipe.ended = true;
            assertNull(reader.read());
        }
    }

    @Test
    void aCompressedCaptureNamesTheProgramThatUnpacksIt() {
        for (String[] one : new String[][] {{"1f8b0800", "gunzip"}, {"28b52ffd", "unzstd"}, {"04224d18", "unlz4"}, {"fd377a58", "unxz"},
            {"425a6839", "bunzip2"}}) {
            IOException refused = assertThrows(IOException.class, () -> read(one[0] + "00000000"));
            assertEquals("capture broken at byte 4: it is compressed: unpack it first with " + one[1], refused.getMessage());
        }
    }

    @Test
    void everyLinkTypeThatIsDecodedHasAName() {
        for (int type = 0; type <= 300; type++) {
            assertTrue(!LinkType.isKnown(type) || !LinkType.name(type).equals("unnamed"), "link type " + type);
        }
        assertEquals("NULL, BSD loopback", LinkType.name(0));
    }

    @Test
    void anEmptyCaptureHasNoRecords() throws IOException {
        assertEquals(List.of(), read(PCAP_LITTLE));
        assertEquals(List.of(), read(SECTION_BIG));
    }

    @Test
    void damagedFilesAreRejectedWithTheBytePosition() {
        assertBroken("", "byte 0", "empty");
        assertBroken("48656c6c6f21", "byte 4", "48656c6c", "tcpdump -w");
        assertBroken("d4c3b2a1" + "03000400", "byte 8", "version 3");
        assertBroken(PCAP_LITTLE.substring(0, 20), "byte 8", "2 of 4", "cut off");
        assertBroken(PCAP_LITTLE + "0500", "byte 24", "2 of the 4");
        assertBroken(PCAP_LITTLE + RECORD_LITTLE.substring(0, 36), "byte 40", "2 of 3");
        assertBroken(PCAP_LITTLE + "0500000007000000" + "ffffffff09000000", "byte 40", "4294967295");
        assertBroken("0a0d0d0a" + "0000001c" + "1a2b3c4e", "byte 12", "1a2b3c4e");
        assertBroken(SECTION_BIG + "00000006" + "0000000d", "byte 36", "13 bytes");
        assertBroken(SECTION_BIG + "00000006" + "00000008", "byte 36", "8 bytes");
        assertBroken(SECTION_BIG + "00000006" + "00000010" + "00000000" + "00000010", "byte 44", "enhanced packet");
        assertBroken(SECTION_BIG + "00000003" + "00000010" + "00000000" + "00000010", "byte 44", "interface 0");
        assertBroken(SECTION_BIG + "00000001" + "00000014" + "00010000" + "00000000" + "00000014"
            + "00000003" + "00000014" + "00000005" + "abcd0000" + "00000014", "byte 68", "5 bytes does not fit");
        assertBroken(SECTION_BIG + "00000005" + "00000010" + "00000000" + "00000014", "byte 44", "length 20");
        assertBroken(SECTION_BIG.replace("00010000", "00020000"), "byte 28", "version 2");
    }

    private static void assertBroken(String hex, String... words) {
        String message = assertThrows(IOException.class, () -> read(hex)).getMessage();
        for (String word : words) {
            assertTrue(message.contains(word), "'" + word + "' is not in: " + message);
        }
    }

    private static void assertOneRecord(String hex, long timestampNs, int linkType) throws IOException {
        List<CaptureRecord> records = read(hex);
        assertEquals(1, records.size());
        CaptureRecord record = records.get(0);
        assertEquals(timestampNs, record.timestampNs());
        assertEquals(linkType, record.linkType());
        assertArrayEquals(new byte[] {(byte) 0xAA, (byte) 0xBB, (byte) 0xCC}, record.bytes());
        assertEquals(9, record.originalLength());
        assertEquals(Direction.UNKNOWN, record.direction());
        assertNull(record.comment());
    }

    private static List<CaptureRecord> read(String hex) throws IOException {
        List<CaptureRecord> records = new ArrayList<>();
        InputStream in = new ByteArrayInputStream(HexFormat.of().parseHex(hex));
        try (CaptureReader reader = new CaptureReader(in)) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                records.add(record);
            }
        }
        return records;
    }

    /** A pipe that fails where a real one would block. */
    private static final class Pipe extends InputStream {
        private final ArrayDeque<Byte> waiting = new ArrayDeque<>();
        private boolean ended;

        void write(String hex) {
            for (byte b : HexFormat.of().parseHex(hex)) {
                waiting.add(b);
            }
        }

        @Override
        public int read() {
            if (waiting.isEmpty() && ended) {
                return -1;
            }
            assertFalse(waiting.isEmpty(), "the reader reads beyond the record");
            return waiting.remove() & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            int first = read();
            if (first < 0) {
                return -1;
            }
            bytes[offset] = (byte) first;
            int count = 1;
            while (count < length && !waiting.isEmpty()) {
                bytes[offset + count++] = waiting.remove();
            }
            return count;
        }
    }
}
