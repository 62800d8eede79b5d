package io.rxe.tools.perftest;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The memory of one side: for each queue pair an area to send from (or READ into), and one that receives the peer's messages.
 *
 * <pre>
 *   | source 0 | source 1 | ... | target 0 | target 1 | ... |
 * </pre>
 */
final class PerftestMemory implements AutoCloseable {
    /** Room for the GRH in front of every datagram. */
    static final int GRH_BYTES = 40;
    private static final int PAGE_BYTES = 4096;

    private final int queuePairs;
    private final int areaBytes;
    private final ByteBuffer bytes;
    private final MemoryRegion region;

    /**
     * @param cycleBufferBytes bytes through which the peer cycles with small messages.
     * @throws IllegalArgumentException if it exceeds the largest buffer.
     */
    PerftestMemory(ProtectionDomain domain, PerftestPlan plan, int cycleBufferBytes) {
        queuePairs = plan.queuePairs();
        long needed = (long) plan.amount().sizeBytes() + (plan.isDatagram() ? GRH_BYTES : 0);
        long area = (Math.max(needed, cycleBufferBytes) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        long total = 2 * area * queuePairs;
        if (total + PAGE_BYTES > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(queuePairs + " queue pairs with messages of " + plan.amount().sizeBytes() + " bytes need "
                + total + " bytes of memory > " + (Integer.MAX_VALUE - PAGE_BYTES) + ": lower -q or -s");
        }
        areaBytes = (int) area;
        bytes = ByteBuffer.allocateDirect((int) total + PAGE_BYTES).alignedSlice(PAGE_BYTES);
        bytes.limit((int) total);
        // The bytes of a WRITE test for latency count its messages.
        if (plan.kind() != PerftestKind.WRITE_LAT) {
            SplittableRandom random = new SplittableRandom(plan.seed());
            for (int at = 0; at < bytes.limit(); at += Long.BYTES) {
                bytes.putLong(at, random.nextLong());
            }
        }
        region = domain.register(bytes, AccessFlags.LOCAL_WRITE | plan.verb().remoteAccess());
    }

    MemoryRegion region() {
        return region;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    /** Offset of the area a queue pair sends from, in bytes. */
    int source(int queuePair) {
        return queuePair * areaBytes;
    }

    /** Offset of the area for messages to a queue pair, in bytes. */
    int target(int queuePair) {
        return (queuePairs + queuePair) * areaBytes;
    }

    @Override
    public void close() {
        region.close();
    }
}
