package io.rxe.net.observe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.Direction;
import io.rxe.net.FreePorts;
import io.rxe.net.QueuePairLink;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import java.io.File;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Our captures as tshark reads them. Skipped where tshark is not installed ({@code apt-get install tshark --no-install-recommends}).
 *
 * <p>The protocol rpcordma is switched off: it takes short SENDs for RPC and calls them malformed, whatever sent them.
 */
@DisplayName("Captures opened with tshark")
class TsharkTest {
    private static final int BTH_OFFSET = 42;
    private static final int SECONDS = 60;

    @BeforeAll
    static void needsTshark() {
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(folder ->
            Files.isExecutable(Path.of(folder, "tshark"))), "tshark is not installed");
    }

    private static List<String> tshark(Path folder, Path capture, int port, String... options) throws Exception {
        Path out = folder.resolve("tshark.out");
        List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", capture.toString(), "--disable-protocol", "rpcordma",
            "-d", "udp.port==" + port + ",infiniband", "-o", "ip.check_checksum:TRUE"));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectOutput(out.toFile())
            .redirectError(folder.resolve("tshark.err").toFile()).start();
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "tshark ends");
        assertEquals(0, process.exitValue(), Files.readString(folder.resolve("tshark.err"), UTF_8));
        return Files.readAllLines(out, UTF_8);
    }

    private static List<CaptureRecord> records(Path file) throws IOException {
        List<CaptureRecord> records = new ArrayList<>();
        try (CaptureReader reader = new CaptureReader(Files.newInputStream(file))) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                records.add(record);
            }
        }
        return records;
    }

    @Test
    void tsharkReadsEveryFieldAsWeWroteItAndFindsNothingMalformed(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("capture.pcapng");
        int port = FreePorts.udp("127.0.0.1", "127.0.0.2");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(port).withSeed(1L);
        try (RxeNic two = RxeNic.open(options.withAddress("127.0.0.2")); RxeNic one = RxeNic.open(options.withCaptureFile(file))) {
            everyOperation(one, two);
            sendToUnknownQueuePair(one.device().udpPort());
            while (one.core().counter(DropReason.UNKNOWN_QUEUE_PAIR) == 0) {
                Thread.onSpinWait();
            }
        }
        assertEquals(List.of(), tshark(folder, file, port, "-Y", "_ws.malformed || ip.checksum.status != 1"));
        List<String> fields = tshark(folder, file, port, "-T", "fields", "-E", "separator=;", "-e", "infiniband.bth.opcode", "-e",
            "infiniband.bth.psn", "-e", "infiniband.bth.destqp", "-e", "frame.packet_flags_direction", "-e", "frame.comment");
        List<CaptureRecord> records = records(file);
        assertEquals(records.size(), fields.size());
        int dropped = 0;
        for (int i = 0; i < fields.size(); i++) {
            String[] words = fields.get(i).split(";", -1);
            UnsafeBuffer bytes = new UnsafeBuffer(records.get(i).bytes());
            assertEquals(Bth.opcode(bytes, BTH_OFFSET), Integer.parseInt(words[0]), fields.get(i));
            assertEquals(Bth.psn(bytes, BTH_OFFSET), Integer.parseInt(words[1]));
            assertEquals(Bth.destinationQpn(bytes, BTH_OFFSET), Integer.decode(words[2]));
            assertEquals(records.get(i).direction() == Direction.INBOUND ? 1 : 2, Integer.decode(words[3]));
            dropped += words[4].startsWith("dropped: unknown_queue_pair") ? 1 : 0;
        }
        assertEquals(1, dropped, "the frame for an unknown queue pair has the reason of its drop");
        List<String> words = tshark(folder, file, port, "-T", "fields", "-e", "infiniband.bth.opcode");
        for (Opcode opcode : List.of(Opcode.RC_SEND_ONLY, Opcode.RC_SEND_ONLY_WITH_IMMEDIATE, Opcode.RC_RDMA_WRITE_FIRST,
            Opcode.RC_RDMA_READ_REQUEST, Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, Opcode.RC_COMPARE_SWAP, Opcode.RC_FETCH_ADD,
            Opcode.RC_ATOMIC_ACKNOWLEDGE, Opcode.RC_ACKNOWLEDGE, Opcode.RC_ATOMIC_WRITE, Opcode.RC_FLUSH)) {
            assertTrue(words.contains(Integer.toString(opcode.code())), opcode.name());
        }
    }

    private static void everyOperation(RxeNic one, RxeNic two) {
        QueuePairLink left = new QueuePairLink(one.device(), 1 << 16);
        QueuePairLink right = new QueuePairLink(two.device(), 1 << 16);
        QueuePairLink.connect(left, right, PathMtu.MTU_1024);
        for (int i = 0; i < left.memory.capacity() / 2; i++) {
            // Not an EtherType, from which tshark would guess a protocol.
            left.memory.put(i, (byte) 0xA5);
        }
        long address = right.region.address();
        int key = right.region.rKey();
        for (int length : new int[] {0, 1, 12, 1024}) {
            right.queuePair.postReceive(new ReceiveRequest().id(1).add(right.region, 0, 1024));
            left.queuePair.postSend(length == 12 ? new WorkRequest().sendWithImmediate(7).add(left.region, 0, length)
                : new WorkRequest().send().add(left.region, 0, length));
            left.complete();
            right.complete();
        }
        left.queuePair.postSend(new WorkRequest().write(address, key).add(left.region, 0, 5000));
        left.complete();
        left.queuePair.postSend(new WorkRequest().read(address, key).add(left.region, 40_000, 5000));
        left.complete();
        left.queuePair.postSend(new WorkRequest().compareAndSwap(address, key, 1, 2).add(left.region, 0, 8));
        left.complete();
        left.queuePair.postSend(new WorkRequest().fetchAndAdd(address, key, 1).add(left.region, 0, 8));
        left.complete();
        left.queuePair.postSend(new WorkRequest().atomicWrite(address, key).add(left.region, 0, 8));
        left.complete();
        left.queuePair.postSend(new WorkRequest().flush(address, key, 4096, FlushType.GLOBAL, FlushLevel.RANGE));
        left.complete();
    }

    /** A frame for a queue pair that does not exist. */
    private static void sendToUnknownQueuePair(int port) throws IOException {
        UnsafeBuffer frame = new UnsafeBuffer(new byte[32]);
        Bth.write(frame, 0, Opcode.RC_ACKNOWLEDGE, false, 0, 0x2, false, 77);
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByName("127.0.0.3"))) {
            socket.send(new DatagramPacket(frame.byteArray(), 20, InetAddress.getByName("127.0.0.1"), port));
        }
    }
}
