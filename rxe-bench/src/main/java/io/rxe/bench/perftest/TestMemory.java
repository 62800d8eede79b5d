package io.rxe.bench.perftest;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The memory of one side: for each queue pair a place it sends from (or READs into), and for each a place the peer's messages go to.
 *
 * <pre>
 *   | source 0 | source 1 | ... | target 0 | target 1 | ... |
 * </pre>
 */
final class TestMemory implements AutoCloseable {
    /** In front of every datagram. */
    static final int ROUTING_HEADER_BYTES = 40;

    private static final int PAGE_BYTES = 4096;

    private final int queuePairs;
    private final int placeBytes;
    private final ByteBuffer bytes;
    private final MemoryRegion region;

    /**
     * @param cycleBufferBytes bytes the peer may step through with small messages.
     * @throws IllegalArgumentException when it would be too much.
     */
    TestMemory(ProtectionDomain domain, PerftestPlan plan, int cycleBufferBytes) {
        queuePairs = plan.queues().queuePairs();
        long needed = (long) plan.amount().sizeBytes() + (plan.isDatagram() ? ROUTING_HEADER_BYTES : 0);
        long place = (Math.max(needed, cycleBufferBytes) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        long total = 2 * place * queuePairs;
        if (total + PAGE_BYTES > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(queuePairs + " queue pairs with messages of " + plan.amount().sizeBytes() + " bytes need "
                + total + " bytes of memory > " + (Integer.MAX_VALUE - PAGE_BYTES) + ": lower -q or -s");
        }
        placeBytes = (int) place;
        bytes = ByteBuffer.allocateDirect((int) total + PAGE_BYTES).alignedSlice(PAGE_BYTES);
        bytes.limit((int) total);
        if (plan.kind() != PerftestKind.WRITE_LAT) {
            fill(plan.seed());
        }
        region = domain.register(bytes, AccessFlags.LOCAL_WRITE | plan.verb().remoteAccess());
    }

    private void fill(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int at = 0; at < bytes.limit(); at += Long.BYTES) {
            bytes.putLong(at, random.nextLong());
        }
    }

    MemoryRegion region() {
        return region;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    /** Where a queue pair sends from, as an offset in bytes. */
    int source(int queuePair) {
        return queuePair * placeBytes;
    }

    /** Where messages for a queue pair go to, as an offset in bytes. */
    int target(int queuePair) {
        return (queuePairs + queuePair) * placeBytes;
    }

    @Override
    public void close() {
        region.close();
    }
}
