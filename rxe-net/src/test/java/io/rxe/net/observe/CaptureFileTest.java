package io.rxe.net.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.rxe.capture.CaptureReader;
import io.rxe.net.FreePorts;
import io.rxe.net.QueuePairLink;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Capture files that cannot be written, and processes that end without closing their NIC")
class CaptureFileTest {
    private static final int SECONDS = 120;

    @Test
    void aFileThatCannotBeWrittenIsRefusedWithReasonAndRemedy(@TempDir Path folder) {
        Path file = folder.resolve("none").resolve("x.pcapng");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1"));
        IOException none = assertThrows(IOException.class, () -> RxeNic.open(options.withCaptureFile(file)));
        assertEquals("cannot write the capture to " + file + ": its folder " + file.getParent() + " does not exist; make that folder"
            + " (mkdir -p " + file.getParent() + ") or choose another file", none.getMessage());
        IOException full = assertThrows(IOException.class, () -> RxeNic.open(options.withCaptureFile(Path.of("/dev/full"))));
        assertEquals("cannot write the capture to /dev/full: No space left on device; make room (df /dev/full) or choose another file",
            full.getMessage());
        IOException directory = assertThrows(IOException.class, () -> RxeNic.open(options.withCaptureFile(folder)));
        assertTrue(directory.getMessage().startsWith("cannot write the capture to " + folder + ": it is a folder; "),
            directory.getMessage());
    }

    @Test
    void aRingWithoutAFileIsRefused() {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1")).withCaptureRingBytes(1 << 20);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> RxeNic.open(options));
        assertEquals("capture ring of 1048576 bytes without a capture file: set one",
            refused.getMessage());
    }

    @Test
    @DisplayName("a file that a NIC writes, here or in another process, is left alone: the next one takes the file beside it")
    void eachNicHasAFileOfItsOwn(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("x.pcapng");
        List<String> said = new ArrayList<>();
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withCaptureFile(file).withWarnings(said::add);
        Process other = startUnclosed(folder, file);
        try (RxeNic one = RxeNic.open(options.withUdpPort(FreePorts.udp("127.0.0.1")));
             RxeNic two = RxeNic.open(options.withUdpPort(FreePorts.udp("127.0.0.1")))) {
            assertEquals(List.of(message(file, "x-2.pcapng"), message(file, "x-3.pcapng")), said, () -> one + " " + two);
            assertTrue(frames(folder.resolve("x-2.pcapng")) == 0 && frames(folder.resolve("x-3.pcapng")) == 0);
        } finally {
            other.destroy();
            other.waitFor();
        }
        assertTrue(frames(file) > 10, "what the other process wrote is whole");
        try (RxeNic again = RxeNic.open(options.withUdpPort(FreePorts.udp("127.0.0.1")))) {
            assertEquals(2, said.size(), again.toString());
            assertEquals(0, frames(file));
        }
    }

    @Test
    @DisplayName("a ring for which there is no memory leaves the file to the next NIC")
    void aFailedStartGivesTheFileBack(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("x.pcapng");
        List<String> said = new ArrayList<>();
        // Of all sizes no array can have, this one fails on every machine.
        assertThrows(NegativeArraySizeException.class, () -> new CaptureFile(file, 1L << 31, 4791, new Warnings(said::add)));
        try (CaptureFile one = new CaptureFile(file, 0, 4791, new Warnings(said::add))) {
            assertEquals(List.of(), said, one::toString);
            assertThrows(UnsupportedOperationException.class, () -> new CaptureFile(file, 0, 4791, new Warnings(List.of()::add)));
            new CaptureFile(file, 0, 4791, new Warnings(said::add)).close();
        }
        assertEquals(List.of(message(file, "x-2.pcapng")), said);
    }

    @Test
    @DisplayName("a NIC that cannot be opened, as for a folder of counters that has no name here, leaves its file to the next one")
    void aFailedNicGivesTheFileBack(@TempDir Path folder) throws Exception {
        ProcessBuilder program = program(folder, folder.resolve("x.pcapng"), Failing.class);
        program.environment().putAll(Map.of("LC_ALL", "C", "XDG_RUNTIME_DIR", "/tmp/\u00fc"));
        Process process = program.start();
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS));
        assertEquals("closed", Files.readString(folder.resolve("out")), () -> read(folder.resolve("err")));
    }

    @Test
    @DisplayName("the frame whose handling ends an engine is the one to look at: the file has it, and so has the ring")
    void theFrameThatEndsAnEngine(@TempDir Path folder) throws Exception {
        for (int ringBytes : new int[] {0, 1 << 18}) {
            Path file = folder.resolve(ringBytes + ".pcapng");
            FrameVerdict verdict = new FrameVerdict();
            try (CaptureFile capture = new CaptureFile(file, ringBytes, 4791, new Warnings(sentence -> { }))) {
                AtomicReference<FrameReceiver> arrivals = new AtomicReference<>();
                capture.tap(new UnboundPort(arrivals), verdict).start(null, (buffer, offset, lengthBytes, flow) -> {
                    capture.queuePairFailed(verdict);
                    throw new IllegalStateException("planted");
                }, () -> { });
                Flow flow = new Flow(Gid.parse("127.96.0.2"), Gid.parse("127.96.0.1"), 4791, 4791);
                assertThrows(IllegalStateException.class, () -> arrivals.get().onFrame(new UnsafeBuffer(new byte[16]), 0, 16, flow));
                assertFalse(verdict.isInFrame());
                capture.flush();
                assertEquals(1, frames(file));
            }
        }
    }

    /** Frames come from the test. */
    private record UnboundPort(AtomicReference<FrameReceiver> arrivals) implements UdpPort {
        @Override
        public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) {
            arrivals.set(receiver);
        }

        @Override
        public int receive(int maxBytes) {
            return 0;
        }

        @Override
        public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
            return SendStatus.SENT;
        }

        @Override
        public boolean canSegment() {
            return false;
        }

        @Override
        public void close() {
            arrivals.set(null);
        }
    }

    private static String message(Path file, String taken) {
        return "another NIC writes the capture " + file + ": that of this one is " + file.resolveSibling(taken);
    }

    @Test
    void aSignalLosesNoFrame(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("x.pcapng");
        Process process = startUnclosed(folder, file);
        try {
            process.destroy();
            assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "SIGTERM ends it");
        } finally {
            process.destroyForcibly();
        }
        int frames = frames(file);
        // Ten packets and an acknowledgement at least.
        assertTrue(frames > 10, frames + " frames");
    }

    private static int frames(Path file) throws IOException {
        try (CaptureReader reader = new CaptureReader(Files.newInputStream(file))) {
            int frames = 0;
            while (reader.read() != null) {
                frames++;
            }
            return frames;
        }
    }

    /** Returns when it has captured all. */
    private static Process startUnclosed(Path folder, Path file) throws Exception {
        Path out = folder.resolve("out");
        Process process = program(folder, file, Unclosed.class).start();
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!Files.readString(out).contains("done")) {
            if (!process.isAlive() || System.nanoTime() > endNs) {
                process.destroyForcibly();
                throw new AssertionError(read(folder.resolve("err")));
            }
            Thread.sleep(20);
        }
        return process;
    }

    private static ProcessBuilder program(Path folder, Path file, Class<?> main) {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--add-opens",
            "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), main.getName(),
            file.toString(), Integer.toString(FreePorts.udp("127.0.0.1", "127.0.0.2")))
            .redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** A program whose first NIC cannot be opened. Prints what is wrong with the file of the second. */
    static final class Failing {
        private Failing() {
        }

        public static void main(String[] arguments) throws Exception {
            RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(Integer.parseInt(arguments[1]))
                .withCaptureFile(Path.of(arguments[0])).withWarnings(System.out::print);
            assertThrows(InvalidPathException.class, () -> RxeNic.open(options));
            RxeNic.open(options.withCounterFile(false)).close();
            System.out.print("closed");
        }
    }

    /** A program that exchanges messages and then waits for its end, with frames in the buffer of its capture. */
    static final class Unclosed {
        private Unclosed() {
        }

        public static void main(String[] arguments) throws Exception {
            RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(Integer.parseInt(arguments[1])).withSeed(1L);
            RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"));
            RxeNic one = RxeNic.open(options.withCaptureFile(Path.of(arguments[0])));
            QueuePairLink.exchange(one, two, PathMtu.MTU_1024, 10_000);
            System.out.println("done");
            System.out.flush();
            Thread.sleep(TimeUnit.SECONDS.toMillis(10L * SECONDS));
            assertFalse(List.of(one, two).isEmpty());
        }
    }
}
