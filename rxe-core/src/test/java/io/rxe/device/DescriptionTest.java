package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** What resources say about themselves, and what leads from a completion back to the application. */
class DescriptionTest {
    private final NicPair nics = new NicPair();
    private final NicPair.End left = nics.left;

    private static void says(Object described, String... words) {
        for (String word : words) {
            assertTrue(described.toString().contains(word), () -> "no '" + word + "' in: " + described);
        }
    }

    @Test
    void everyResourceDescribesItself() {
        left.post(new WorkRequest().send().add(left.region, 0, 8));
        says(left.pair, "RC queue pair 0x" + Integer.toHexString(left.pair.number()), " RTS", ":10.0.0.2 QPN 0x"
            + Integer.toHexString(nics.right.pair.number()), "1 of 128 sends", "0 of 128 receives");
        says(left.queue, "completion queue of 1024 entries", "0 waiting");
        says(left.region, "memory region 0x" + Integer.toHexString(left.region.lKey()), "of 2097152 bytes at address 0x", "LOCAL_WRITE|");
        says(left.domain, "protection domain", "10.0.0.1", "1 queue pairs", "1 memory regions");
        says(left.domain.createSharedReceiveQueue(8, 1), "shared receive queue of 8 requests", "0 queued");
        says(nics.leftNic, "NIC ::ffff:10.0.0.1 UDP port 4791", "1 engine", "1 queue pairs");
        says(new CompletionChannel(), "0 queues", "0 threads");
        says(left.pair.query(), "RTS", "DESTINATION_QPN 0x", "TIMEOUT 14", ":10.0.0.2 UDP port 4791");
        says(new WorkRequest().id(7).write(0x10, 0x20).add(left.region, 0, 8).solicited(true), "wr 7 RDMA_WRITE of 1 element, 8 bytes",
            "remote address 0x10 rkey 0x20", "signaled, solicited");
        says(new WorkRequest().sendWithImmediate(0x55).inline(ByteBuffer.allocate(3)), "SEND_WITH_IMMEDIATE of 3 inline bytes", "0x55");
        says(new ReceiveRequest().id(9), "receive 9 of 0 elements, 0 bytes");
        left.pair.close();
        left.region.close();
        nics.leftNic.close();
        for (Object resource : new Object[] {left.pair, left.region, left.queue, left.domain, nics.leftNic}) {
            says(resource, "closed");
        }
    }

    @Test
    void aCompletionLeadsToTheApplication() {
        NicPair.End peer = nics.right;
        StringBuilder session = new StringBuilder("session");
        QueuePair pair = left.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, left.queue, left.queue).withAttachment(session)
            .withRequests(8, 8).withInline(8));
        assertSame(session, pair.attachment());
        says(pair, "attachment session");
        left.post(new WorkRequest().id(1).write(peer.region.address(), peer.region.rKey()).add(left.region, 0, 8));
        nics.run();
        WorkCompletion copy = new WorkCompletion();
        copy.copyFrom(left.take(1));
        assertSame(left.pair, copy.queuePair());
        assertEquals(null, copy.queuePair().attachment());
    }

    @Test
    void aRegionGivesItsMemory() {
        ByteBuffer memory = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN).position(16).limit(48);
        MemoryRegion region = left.domain.register(memory, AccessFlags.LOCAL_WRITE);
        memory.clear();
        region.buffer().putInt(0, 0x0102_0304);
        assertEquals(0x0102_0304, memory.getInt(16));
        assertEquals(32, region.buffer().remaining());
        region.buffer().position(5);
        assertEquals(0, region.buffer().position());
    }
}
