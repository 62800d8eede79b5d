package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.Direction;
import io.rxe.capture.RoceFrame;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What tcpdump sees on the loopback interface, where a batch is one packet with one IP header. Needs root and tcpdump. Packets stay in
 * the kernel's buffer until {@link #packets}.
 */
final class WireCapture implements AutoCloseable {
    private static final int HEADER_BYTES = 128;
    private static final String BUFFER_KIB = "65536";

    /** A packet; the opcode, null where it is undefined, and the queue pair number are those of a batch's first frame. */
    record Seen(Direction direction, int trafficClass, Opcode opcode, int qpn) {
    }

    private final InetAddress address;
    private final int[] ports;
    private final Process process;
    private final BufferedReader messages;

    /** Starts to capture what is sent to some UDP ports; skips the test where that is impossible. */
    WireCapture(String localAddress, int... udpPorts) throws IOException {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")), "needs root to capture");
        assumeTrue(Stream.of("/usr/bin", "/usr/sbin").anyMatch(folder -> Files.isExecutable(Path.of(folder, "tcpdump"))),
            "needs tcpdump");
        address = InetAddress.getByName(localAddress);
        ports = udpPorts;
        String filter = IntStream.of(udpPorts).mapToObj(port -> "udp dst port " + port).collect(Collectors.joining(" or "));
        process = new ProcessBuilder("tcpdump", "-i", "lo", "-s", Integer.toString(HEADER_BYTES), "-B", BUFFER_KIB, "-U", "-w", "-",
            filter).start();
        messages = new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
        String line = messages.readLine();
        while (line != null && !line.contains("listening on")) {
            line = messages.readLine();
        }
    }

    /** Ends the capture, and returns every packet in order. */
    List<Seen> packets() throws IOException {
        List<Seen> seen = new ArrayList<>();
        try (DatagramSocket last = new DatagramSocket(0, address); CaptureReader reader = new CaptureReader(process.getInputStream())) {
            last.send(new DatagramPacket(new byte[Bth.LENGTH], Bth.LENGTH, address, ports[0]));
            RoceFrame frame = new RoceFrame(IntStream.of(ports).boxed().collect(Collectors.toSet()));
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                UnsafeBuffer bytes = new UnsafeBuffer(record.bytes());
                assertTrue(frame.decode(bytes, 0, bytes.capacity(), record.linkType()), "a RoCEv2 packet");
                if (frame.sourcePort() == last.getLocalPort()) {
                    process.toHandle().destroy();
                    String summary = messages.lines().collect(Collectors.joining(" "));
                    assertTrue(summary.contains("0 packets dropped by kernel"), summary);
                    return seen;
                }
                seen.add(seen(frame, record));
            }
        }
        throw new AssertionError("tcpdump ended too early");
    }

    /** Every packet of a capture file. */
    static List<Seen> read(Path capture, int... udpPorts) throws IOException {
        List<Seen> seen = new ArrayList<>();
        RoceFrame frame = new RoceFrame(IntStream.of(udpPorts).boxed().collect(Collectors.toSet()));
        try (CaptureReader reader = new CaptureReader(Files.newInputStream(capture))) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                UnsafeBuffer bytes = new UnsafeBuffer(record.bytes());
                assertTrue(frame.decode(bytes, 0, bytes.capacity(), record.linkType()), "a RoCEv2 packet");
                seen.add(seen(frame, record));
            }
        }
        return seen;
    }

    private static Seen seen(RoceFrame frame, CaptureRecord record) {
        return new Seen(record.direction(), frame.trafficClass(), Opcode.of(Bth.opcode(frame.buffer(), frame.payloadOffset())),
            Bth.destinationQpn(frame.buffer(), frame.payloadOffset()));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
