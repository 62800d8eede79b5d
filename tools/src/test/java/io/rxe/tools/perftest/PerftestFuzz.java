package io.rxe.tools.perftest;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fuzz.FuzzInput;
import io.rxe.fuzz.FuzzTarget;
import io.rxe.tools.side.FuzzLink;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** What the peer of a perftest says: preface, key records, report, close. The first byte chooses our role. */
final class PerftestFuzz implements FuzzTarget {
    private static final KeyRecord OWN = new KeyRecord(1, 0x17, 0xbe1652, 0x757, 0x55ceb38c2000L, Gid.ofIpv4(0x0A630003));
    private static final int MAX_24_BITS = 0xFF_FFFF;
    private static final int MAX_CYCLE_BYTES = 1 << 20;

    @Override
    public void run(byte[] bytes) {
        FuzzInput input = new FuzzInput(bytes);
        PerftestHandshake handshake = new PerftestHandshake(new FuzzLink(input, (input.next() & 1) == 0));
        try {
            PathMtu mtu = handshake.preface(PathMtu.MTU_1024);
            assertTrue(mtu.bytes() <= PathMtu.MTU_1024.bytes(), "a path MTU above our offer");
            check(handshake.cycleBufferBytes());
            check(handshake.cacheLineBytes());
            for (KeyRecord key : handshake.keys(List.of(OWN, OWN))) {
                assertTrue(key.qpn() >= 0 && key.qpn() <= MAX_24_BITS && key.psn() >= 0 && key.psn() <= MAX_24_BITS, key::toString);
                assertEquals(key, KeyRecord.parse(key.toWire()));
            }
            handshake.report(new BandwidthReport(65536, 50, 1, 1, 1));
            handshake.close(OWN);
        } catch (IOException e) {
            assertTrue(e.getMessage() != null && e.getMessage().chars().allMatch(c -> c >= ' '), "a message with control characters");
        }
    }

    private static void check(int sizeBytes) {
        assertTrue(sizeBytes > 0 && sizeBytes <= MAX_CYCLE_BYTES, () -> "a size of " + sizeBytes);
    }

    @Override
    public List<byte[]> seeds() {
        byte[] key = OWN.toWire();
        return Stream.of("6.06", "5.70", "5.60", "6.23").map(version -> new FuzzInput.Writer().add(0)
            .addBytes(Arrays.copyOf(version.getBytes(US_ASCII), 16)).addShort(0).addShort(4096).addShort(0).addShort(64).add('3').add(0)
            .addBytes(key).addBytes(key).addBytes(new byte[40]).addBytes(key).addBytes("done\0".getBytes(US_ASCII)).toBytes()).toList();
    }
}
