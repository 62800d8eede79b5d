package io.rxe.device;

import io.rxe.memory.Region;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A protection domain with its regions and queue pairs. */
final class NicProtectionDomain implements ProtectionDomain {
    private final Nic nic;
    private final int number;
    private final Set<NicMemoryRegion> regions = ConcurrentHashMap.newKeySet();
    private final Set<NicQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    NicProtectionDomain(Nic nic, int number) {
        this.nic = nic;
        this.number = number;
    }

    int number() {
        return number;
    }

    @Override
    public MemoryRegion register(int access, long baseAddress, ByteBuffer... buffers) {
        checkOpen();
        AccessFlags.validate(access);
        if (buffers.length == 0) {
            throw new IllegalArgumentException("no buffer: give at least one");
        }
        for (ByteBuffer buffer : buffers) {
            checkBuffer(buffer, access);
        }
        long base = baseAddress == OWN_ADDRESS ? Region.addressOf(buffers[0]) : baseAddress;
        if ((access & AccessFlags.REMOTE_ATOMIC) != 0 && ((Region.addressOf(buffers[0]) - base) & 7) != 0) {
            throw new IllegalArgumentException("base address 0x" + Long.toHexString(base) + " and the buffer are not aligned alike, but"
                + " atomics need 8 byte alignment in both: choose a base that differs by a multiple of 8");
        }
        Region region = nic.register(number, access, base, buffers);
        NicMemoryRegion handle = new NicMemoryRegion(this, region);
        regions.add(handle);
        return handle;
    }

    private static void checkBuffer(ByteBuffer buffer, int access) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("a buffer of " + buffer.remaining()
                + " bytes lies on the heap, where the NIC cannot use it: allocateDirect or map it");
        }
        if (buffer.isReadOnly() && (access & AccessFlags.LOCAL_WRITE) != 0) {
            throw new IllegalArgumentException("a buffer of " + buffer.remaining()
                + " bytes is read-only: register it without LOCAL_WRITE, or map it read-write");
        }
    }

    void deregister(NicMemoryRegion handle, Region region) {
        regions.remove(handle);
        nic.deregister(region);
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        checkOpen();
        NicQueuePair queuePair = nic.createQueuePair(this, config);
        queuePairs.add(queuePair);
        return queuePair;
    }

    void forget(NicQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the protection domain is closed: allocate another");
        }
    }

    @Override
    public void close() {
        closed = true;
        queuePairs.forEach(NicQueuePair::close);
        regions.forEach(NicMemoryRegion::close);
        nic.forget(this);
    }
}
