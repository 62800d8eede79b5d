package io.rxe.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.tools.side.ScriptedLink;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The handshake of a test")
class PerftestHandshakeTest {
    private static final String VERSION_HEX = "362e3036000000000000000000000000";
    private static final KeyRecord OWN = new KeyRecord(1, 0x17, 0xbe1652, 0x757, 0x55ceb38c2000L, Gid.ofIpv4(0x0A630003));
    private static final KeyRecord REMOTE = new KeyRecord(1, 0x17, 0x962369, 0x700, 0x5595a5be2000L, Gid.ofIpv4(0x0A630002));

    @Test
    void beginsWithTheBytesOfTheOriginal() throws IOException {
        ScriptedLink link = preface("6.06", 4096, 64, 3);
        assertEquals(PathMtu.MTU_1024, new PerftestHandshake(link).preface(PathMtu.MTU_1024));
        assertEquals(List.of(VERSION_HEX, "00001000", "00000040", "3300"), link.sent());
        assertTrue(link.isUsedUp());
    }

    @ParameterizedTest
    @CsvSource({"5, 3, 3", "3, 5, 3", "1, 5, 1", "4, 4, 4"})
    void usesTheSmallerPathMtuOfBothSides(int own, int remote, int agreed) throws IOException {
        assertEquals(PathMtu.ofCode(agreed), new PerftestHandshake(preface("6.06", 4096, 64, remote)).preface(PathMtu.ofCode(own)));
    }

    @Test
    void usesTheLargerCycleBufferAndCacheLineOfBothSides() throws IOException {
        PerftestHandshake handshake = new PerftestHandshake(preface("6.23", 65536, 128, 5));
        handshake.preface(PathMtu.MTU_4096);
        assertEquals(65536, handshake.cycleBufferBytes());
        assertEquals(128, handshake.cacheLineBytes());
    }

    @Test
    void keepsItsOwnWishWhenThePeerWantsLess() throws IOException {
        PerftestHandshake handshake = new PerftestHandshake(preface("5.70", 64, 1, 5));
        handshake.preface(PathMtu.MTU_4096);
        assertEquals(4096, handshake.cycleBufferBytes());
        assertEquals(64, handshake.cacheLineBytes());
    }

    @ParameterizedTest
    @CsvSource({"5.60, script runs version 5.60 of perftest < 5.7: update it", "GET / HTTP, is a test of perftest running there",
        "'', instead of a version of perftest"})
    void refusesAPeerThatIsTooOldOrNoneAtAll(String version, String words) {
        IOException refused = assertThrows(IOException.class,
            () -> new PerftestHandshake(preface(version, 4096, 64, 3)).preface(PathMtu.MTU_1024));
        assertTrue(refused.getMessage().contains(words), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"-1, 64, 3, cycle buffer of -1", "4096, 2000000, 3, cache line of 2000000",
        "4096, 64, 9, offers an MTU that does not exist"})
    void refusesNumbersOutOfRange(int cycle, int line, int mtu, String words) {
        IOException refused = assertThrows(IOException.class,
            () -> new PerftestHandshake(preface("6.06", cycle, line, mtu)).preface(PathMtu.MTU_1024));
        assertTrue(refused.getMessage().contains(words), refused.getMessage());
    }

    @Test
    void reportsAreFiveNumbersInNetworkOrderOneByOne() throws IOException {
        // The client's numbers are those of a captured run: 65536 bytes, 50 times, peak 13.72 and average 6.81 MiB/s.
        BandwidthReport own = new BandwidthReport(65536, 50, bits("402b6ffbb72c07d8"), bits("401b402dc5c976e1"),
            bits("3f1c930dbcb355ad"));
        ScriptedLink link = new ScriptedLink(true, hex("00007ffc04f41094"), hex("00007ffc04fb6300"), hex("00007fb2152588b0"),
            hex("00007fb214dcb0e1"), hex("00007ffc04f41158"));
        new PerftestHandshake(link).report(own);
        assertEquals(List.of("0000000000010000", "0000000000000032", "402b6ffbb72c07d8", "401b402dc5c976e1", "3f1c930dbcb355ad"),
            link.sent());
        assertEquals(13.72, own.peak(), 0.005);
        assertEquals(6.81, own.average(), 0.005);
    }

    @Test
    void closesWithARecordAndDone() throws IOException {
        ScriptedLink link = new ScriptedLink(true, REMOTE.toWire());
        new PerftestHandshake(link).close(OWN);
        assertEquals(List.of(HexFormat.of().formatHex(OWN.toWire()), "646f6e6500"), link.sent());
    }

    @Test
    void aServerAnswersEachMessageOfTheClient() throws IOException {
        ScriptedLink link = new ScriptedLink(false, REMOTE.toWire());
        new PerftestHandshake(link).synchronize(OWN);
        assertEquals(List.of("read 108", "write " + new String(OWN.toWire(), StandardCharsets.US_ASCII).replace('\0', '.')), link.log());
    }

    @Test
    void exchangesOneRecordForEachQueuePairInOrder() throws IOException {
        ScriptedLink link = new ScriptedLink(true, REMOTE.toWire(), OWN.toWire());
        assertEquals(List.of(REMOTE, OWN), new PerftestHandshake(link).keys(List.of(OWN, REMOTE)));
    }

    private static ScriptedLink preface(String version, int cycle, int line, int mtuCode) {
        return new ScriptedLink(true, Arrays.copyOf(version.getBytes(StandardCharsets.US_ASCII), 16), hex(String.format("%08x", cycle)),
            hex(String.format("%08x", line)), new byte[] {(byte) ('0' + mtuCode), 0});
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private static double bits(String digits) {
        return Double.longBitsToDouble(Long.parseUnsignedLong(digits, 16));
    }
}
