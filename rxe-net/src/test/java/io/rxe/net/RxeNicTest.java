package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.Direction;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.Offload;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.DropReason;
import io.rxe.wire.Icrc;
import java.io.IOException;
import java.net.BindException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole NICs over loopback. */
class RxeNicTest {
    private static final int IP_OFFSET = 14;

    /** A NIC at the first address, on a port that is free at all of them. */
    private static RxeNicOptions options(String... addresses) {
        return RxeNicOptions.defaults(addresses[0]).withUdpPort(FreePorts.udp(addresses)).withSeed(1L);
    }

    @ParameterizedTest
    @CsvSource({
        "1, false, AUTO", "1, true, AUTO", "1, false, OFF", "2, false, AUTO", "4, false, AUTO",
    })
    void dataArrivesByWriteAndSendAndRead(int engines, boolean spin, Offload offload) throws Exception {
        RxeNicOptions options = options("127.0.0.1", "127.0.0.2").withEngines(engines).withSpin(spin).withGso(offload)
            .withGro(offload);
        try (RxeNic one = RxeNic.open(options); RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            for (int connection = 0; connection < engines * 2; connection++) {
                QueuePairLink.exchange(one, two, PathMtu.MTU_4096, 100_001);
            }
            assertEquals(0, two.core().counter(DropReason.BAD_ICRC));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, MTU_256", "1, MTU_4096", "2, MTU_1024"})
    void dataArrivesOverIpv6(int engines, PathMtu mtu) throws Exception {
        try (RxeNic one = RxeNic.open(options("::1").withEngines(engines));
             RxeNic two = RxeNic.open(options("::1").withEngines(engines))) {
            QueuePairLink.exchange(one, two, mtu, 50_000);
        }
    }

    @Test
    void aCaptureHoldsEveryFrameWithAGoodIcrcAndTheRightIdentification(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("capture.pcapng");
        RxeNicOptions options = options("127.0.0.1", "127.0.0.2");
        long frames;
        try (RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            RxeNic one = RxeNic.open(options.withCaptureFile(file));
            QueuePairLink.exchange(one, two, PathMtu.MTU_1024, 20_000);
            Thread.currentThread().interrupt();
            one.close();
            assertTrue(Thread.interrupted(), "close swallowed the interruption of its thread");
            frames = one.count(NetCounter.SENT_FRAMES) + one.count(NetCounter.RECEIVED_FRAMES);
        }
        Map<Direction, Integer> seen = new EnumMap<>(Direction.class);
        Set<Integer> identifications = new HashSet<>();
        try (CaptureReader reader = new CaptureReader(Files.newInputStream(file))) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                UnsafeBuffer bytes = new UnsafeBuffer(record.bytes());
                int end = record.bytes().length - Icrc.LENGTH;
                assertEquals(Icrc.read(bytes, end), Icrc.reference(bytes, IP_OFFSET, end - IP_OFFSET));
                seen.merge(record.direction(), 1, Integer::sum);
                identifications.add(bytes.getShort(IP_OFFSET + 4, ByteOrder.BIG_ENDIAN) & 0xFFFF);
            }
        }
        assertTrue(frames > 0);
        assertEquals(frames, seen.values().stream().mapToLong(count -> count).sum());
        assertTrue(identifications.containsAll(List.of(0, 1, 2)), identifications.toString());
    }

    @Test
    void anInterruptedThreadOpensAWholeNic(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("capture.pcapng");
        List<String> warnings = new ArrayList<>();
        Thread.currentThread().interrupt();
        try (RxeNic nic = RxeNic.open(options("127.0.0.1").withCaptureFile(file).withWarnings(warnings::add))) {
            assertTrue(Thread.interrupted(), "open swallowed the interruption of its thread");
            QueuePairLink.exchange(nic, nic, PathMtu.MTU_1024, 20_000);
        }
        assertTrue(Files.size(file) > 40_000);
        assertEquals(List.of(), warnings);
    }

    @Test
    void aPortInUseIsRefusedWithTheRemedy() throws Exception {
        for (int engines : new int[] {1, 2}) {
            RxeNicOptions options = options("127.0.0.1").withEngines(engines);
            try (RxeNic first = RxeNic.open(options)) {
                BindException refused = assertThrows(BindException.class, () -> RxeNic.open(options));
                String message = refused.getMessage();
                assertTrue(message.contains("UDP " + first.device().udpPort() + " on 127.0.0.1 is taken"), message);
                assertTrue(message.contains("this very process") && message.contains("127.0.0.2"), message);
            }
        }
    }

    @Test
    void aClosedNicFreesItsPort() throws Exception {
        RxeNicOptions options = options("127.0.0.1");
        for (int iteration = 0; iteration < 3; iteration++) {
            RxeNic nic = RxeNic.open(options);
            nic.close();
            nic.close();
        }
    }

    @Test
    void aPortMtuBeyondTheInterfaceIsRefused() throws Exception {
        InterfaceInfo narrow = LoopbackTest.narrowInterface();
        assumeTrue(narrow != null, "needs an interface with MTU below 4000");
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () ->
            RxeNic.open(options(narrow.address().getHostAddress()).withPortMtu(PathMtu.MTU_4096)));
        assertTrue(refused.getMessage().contains("4176"), refused.getMessage());
    }

    @Test
    void aSmallSocketBufferIsWarnedOfWithItsSysctl() throws Exception {
        List<String> warnings = new ArrayList<>();
        try (RxeNic nic = RxeNic.open(options("127.0.0.1").withReceiveBufferBytes(1 << 20).withWarnings(warnings::add))) {
            assertEquals(1, nic.engines());
        }
        if (allows("rmem_max") && allows("wmem_max")) {
            assertEquals(List.of(), warnings);
        }
        assertFalse(warnings.stream().anyMatch(sentence -> !sentence.contains("sysctl -w net.core.")), warnings.toString());
    }

    private static boolean allows(String limit) throws IOException {
        return Integer.parseInt(Files.readString(Path.of("/proc/sys/net/core/" + limit)).trim()) >= 1 << 20;
    }

    @Test
    void aCaptureThatCannotBeWrittenIsRefused() {
        String text = assertThrows(IOException.class, () ->
            RxeNic.open(options("127.0.0.1").withCaptureFile(Path.of("/nonexistent/capture.pcapng")))).getMessage();
        assertTrue(text.contains("/nonexistent/capture.pcapng") && text.contains("choose another file"), text);
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1");
        assertThrows(IllegalArgumentException.class, () -> options.withUdpPort(0));
        assertThrows(IllegalArgumentException.class, () -> options.withEngines(65));
        assertThrows(IllegalArgumentException.class, () -> options.withSendBufferBytes(1000));
        String text = assertThrows(IllegalArgumentException.class, () -> options.withEngines(4).withReorderBytes(65536)).getMessage();
        assertTrue(text.contains("65536") && text.contains("262144") && text.contains("4 engines"), text);
        assertEquals(262144, options.withReorderBytes(262144).withEngines(4).reorderBytes());
        assertThrows(IllegalArgumentException.class, () -> RxeNicOptions.defaults(""));
        assertThrows(NullPointerException.class, () -> RxeNicOptions.defaults(null));
        assertThrows(IllegalArgumentException.class, () -> RxeNic.open(options.withCaptureRingBytes(1 << 20)));
    }
}
