package io.rxe.net.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.CaptureWriter;
import io.rxe.capture.Direction;
import io.rxe.capture.LinkType;
import io.rxe.net.FreePorts;
import io.rxe.net.QueuePairLink;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A capture that keeps the latest frames and writes them when a queue pair fails. */
class CaptureRingTest {
    private static final int BTH_OFFSET = 42;

    private static List<CaptureRecord> read(byte[] bytes) throws IOException {
        List<CaptureRecord> records = new ArrayList<>();
        try (CaptureReader reader = new CaptureReader(new ByteArrayInputStream(bytes))) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                records.add(record);
            }
        }
        return records;
    }

    @Test
    void theLatestFramesAreKeptWholeAndInOrderWhateverTheirLengths() throws Exception {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        CaptureRing ring = new CaptureRing(file, 10_000);
        CaptureWriter writer = new CaptureWriter(ring, LinkType.ETHERNET, 0);
        UnsafeBuffer frame = new UnsafeBuffer(new byte[4096]);
        for (int number = 0; number < 1000; number++) {
            frame.putInt(0, number);
            writer.write(number, Direction.OUTBOUND, number % 3 == 0 ? "comment " + number : null, frame, 0, 4 + number * 37 % 1500);
        }
        assertEquals(0, read(file.toByteArray()).size(), "nothing is written before the drain");
        ring.drain();
        List<CaptureRecord> kept = read(file.toByteArray());
        assertTrue(kept.size() > 4 && file.size() <= 10_100, kept.size() + " frames in " + file.size());
        for (int i = 0; i < kept.size(); i++) {
            int number = 1000 - kept.size() + i;
            assertEquals(number, kept.get(i).timestampNs());
            assertEquals(number, new UnsafeBuffer(kept.get(i).bytes()).getInt(0));
            assertEquals(number % 3 == 0 ? "comment " + number : null, kept.get(i).comment());
        }
        ring.drain();
        writer.write(7, Direction.INBOUND, null, frame, 0, 60);
        ring.drain();
        assertEquals(kept.size() + 1, read(file.toByteArray()).size(), "each frame is written once");
    }

    @Test
    void aFrameLongerThanTheRingIsNotKept() throws Exception {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        CaptureRing ring = new CaptureRing(file, 1000);
        CaptureWriter writer = new CaptureWriter(ring, LinkType.ETHERNET, 0);
        writer.write(1, Direction.INBOUND, null, new UnsafeBuffer(new byte[2000]), 0, 2000);
        writer.write(2, Direction.INBOUND, null, new UnsafeBuffer(new byte[60]), 0, 60);
        ring.drain();
        assertEquals(1, read(file.toByteArray()).size());
    }

    @Test
    void aRingOfANicIsWrittenWhenAQueuePairFailsAndNotBefore(@TempDir Path folder) throws Exception {
        Path path = folder.resolve("ring.pcapng");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withSeed(1L);
        try (RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"));
             RxeNic one = RxeNic.open(options.withCaptureFile(path).withCaptureRingBytes(RxeNicOptions.MIN_CAPTURE_RING_BYTES))) {
            QueuePairLink left = new QueuePairLink(one.device(), 1 << 20);
            QueuePairLink right = new QueuePairLink(two.device(), 1 << 20);
            QueuePairLink.connect(left, right, PathMtu.MTU_1024);
            left.queuePair.postSend(new WorkRequest().write(right.region.address(), right.region.rKey()).add(left.region, 0, 1 << 20));
            left.complete();
            assertEquals(0, read(Files.readAllBytes(path)).size(), "no queue pair has failed");
            left.queuePair.postSend(new WorkRequest().write(right.region.address(), right.region.rKey() + 1).add(left.region, 0, 8));
            assertEquals(CompletionStatus.REM_ACCESS_ERR, left.completion().status());
            // A command runs after the frame that made the queue pair fail has been handled.
            left.queuePair.query();
            List<CaptureRecord> kept = read(Files.readAllBytes(path));
            CaptureRecord last = kept.get(kept.size() - 1);
            assertEquals(Direction.INBOUND, last.direction());
            assertEquals(Opcode.RC_ACKNOWLEDGE, Opcode.of(Bth.opcode(new UnsafeBuffer(last.bytes()), BTH_OFFSET)), "the NAK");
            assertEquals(Opcode.RC_RDMA_WRITE_ONLY,
                Opcode.of(Bth.opcode(new UnsafeBuffer(kept.get(kept.size() - 2).bytes()), BTH_OFFSET)), "the request it rejects");
            assertTrue(kept.size() > 100 && kept.size() < 1024, kept.size() + " frames");
            assertTrue(Files.size(path) <= RxeNicOptions.MIN_CAPTURE_RING_BYTES + 200);
        }
    }

    @Test
    void aNicWithoutFailuresWritesNothing(@TempDir Path folder) throws Exception {
        Path path = folder.resolve("ring.pcapng");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withSeed(1L);
        try (RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"));
             RxeNic one = RxeNic.open(options.withCaptureFile(path).withCaptureRingBytes(1 << 20))) {
            QueuePairLink.exchange(one, two, PathMtu.MTU_1024, 5000);
        }
        assertEquals(0, read(Files.readAllBytes(path)).size());
        assertFalse(Files.size(path) == 0, "an empty capture is a valid capture");
    }

    @Test
    void aRingSizeOutOfRangeIsRefusedWithTheLimits() {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> RxeNicOptions.defaults("127.0.0.1").withCaptureRingBytes(1000));
        assertTrue(refused.getMessage().contains("capture ring of 1000 bytes is not in 262144..1073741824"), refused.getMessage());
    }
}
