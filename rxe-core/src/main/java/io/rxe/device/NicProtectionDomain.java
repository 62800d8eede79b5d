package io.rxe.device;

import io.rxe.memory.Region;
import io.rxe.port.Flow;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** A protection domain: its regions, queue pairs and shared receive queues. */
final class NicProtectionDomain implements ProtectionDomain {
    private final Nic nic;
    private final int number;
    private final Set<NicMemoryRegion> regions = ConcurrentHashMap.newKeySet();
    private final Set<NicQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private final Set<NicSharedReceiveQueue> sharedQueues = ConcurrentHashMap.newKeySet();
    private final RegionCheck regionCheck;
    private volatile boolean closed;

    NicProtectionDomain(Nic nic, int number) {
        this.nic = nic;
        this.number = number;
        this.regionCheck = new RegionCheck(nic.keys(), number);
    }

    int number() {
        return number;
    }

    RegionCheck regionCheck() {
        return regionCheck;
    }

    @Override
    public MemoryRegion register(int access, long baseAddress, ByteBuffer... buffers) {
        checkOpen();
        AccessFlags.validate(access);
        Objects.requireNonNull(buffers, "the buffers are null: give at least one direct buffer");
        if (buffers.length == 0) {
            throw new IllegalArgumentException("no buffer: give at least one");
        }
        for (ByteBuffer buffer : buffers) {
            checkBuffer(buffer, access);
        }
        // Leave empty buffers out, so that each address of the region lies in exactly one part.
        ByteBuffer[] full = Stream.of(buffers).filter(ByteBuffer::hasRemaining).toArray(ByteBuffer[]::new);
        ByteBuffer[] parts = full.length == 0 ? new ByteBuffer[] {buffers[0]} : full;
        long base = baseAddress == OWN_ADDRESS ? Region.addressOf(parts[0]) : baseAddress;
        if ((access & AccessFlags.FLUSH_PERSISTENT) != 0 && !Stream.of(parts).allMatch(Region::isPersistent)) {
            throw new IllegalArgumentException("FLUSH_PERSISTENT for memory that maps no file, and only files keep what is written:"
                + " register what FileChannel.map returns, or leave the flag out");
        }
        if ((access & AccessFlags.REMOTE_ATOMIC) != 0) {
            checkAlignment(base, parts);
        }
        Region region = nic.register(number, access, base, parts);
        NicMemoryRegion handle = new NicMemoryRegion(this, region, parts);
        regions.add(handle);
        closeIfEnded(handle::close);
        return handle;
    }

    /** An atomic at an aligned address must also be aligned in memory, and must not cross from one buffer into the next. */
    private static void checkAlignment(long base, ByteBuffer... parts) {
        long start = base;
        for (ByteBuffer part : parts) {
            if (((Region.addressOf(part) - start) & 7) != 0 || part != parts[0] && (start & 7) != 0) {
                throw new IllegalArgumentException("address 0x" + Long.toHexString(start) + " and the buffer of " + part.remaining()
                    + " bytes that begins there are not aligned alike, but atomics need 8 byte alignment in both: choose a base that"
                    + " differs by a multiple of 8, and buffers whose lengths are multiples of 8");
            }
            start += part.remaining();
        }
    }

    private static void checkBuffer(ByteBuffer buffer, int access) {
        Objects.requireNonNull(buffer, "a buffer is null: give direct buffers");
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("a buffer of " + buffer.remaining()
                + " bytes lies on the heap, where the NIC cannot use it: allocateDirect or map it");
        }
        if (buffer.isReadOnly() && (access & AccessFlags.LOCAL_WRITE) != 0) {
            throw new IllegalArgumentException("a buffer of " + buffer.remaining()
                + " bytes is read-only: register it without LOCAL_WRITE, or map it read-write");
        }
        if (Region.isOfCloseableArena(buffer)) {
            throw new IllegalArgumentException("a buffer of " + buffer.remaining() + " bytes belongs to an arena that can be closed, and"
                + " then a packet of the peer would crash this process: allocate the memory in Arena.ofAuto() or Arena.global(), or with"
                + " ByteBuffer.allocateDirect");
        }
    }

    void deregister(NicMemoryRegion handle, Region region) {
        regions.remove(handle);
        nic.deregister(region);
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        Objects.requireNonNull(config, "the configuration is null: start from QueuePairConfig.of");
        checkOpen();
        NicQueuePair queuePair = nic.createQueuePair(this, config);
        queuePairs.add(queuePair);
        closeIfEnded(queuePair::close);
        return queuePair;
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int minimumCapacity, int maxElements) {
        checkOpen();
        NicSharedReceiveQueue queue = nic.createSharedReceiveQueue(this, minimumCapacity, maxElements);
        sharedQueues.add(queue);
        closeIfEnded(queue::close);
        return queue;
    }

    @Override
    public AddressHandle createAddressHandle(AddressVector vector) {
        Objects.requireNonNull(vector, "the address vector is null: make one with AddressVector.to");
        checkOpen();
        Gid gid = nic.gid();
        if (vector.destination().isIpv4() != gid.isIpv4()) {
            throw new IllegalArgumentException("destination " + vector.destination() + " is of another address family than the port's "
                + gid + ": use the peer's " + (gid.isIpv4() ? "IPv4" : "IPv6") + " GID");
        }
        return new AddressHandle(vector, new Flow(gid, vector.destination(), nic.udpPort(), vector.udpPort()));
    }

    void forget(NicSharedReceiveQueue queue) {
        sharedQueues.remove(queue);
    }

    void forget(NicQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    private void checkOpen() {
        nic.state().check();
        if (closed) {
            throw new IllegalStateException(name() + " is closed: allocate another");
        }
    }

    /** What was created while another thread closed the domain is closed too. */
    private void closeIfEnded(Runnable close) {
        if (closed || !nic.state().isUsable()) {
            close.run();
            checkOpen();
        }
    }

    private String name() {
        return "protection domain " + number;
    }

    @Override
    public void close() {
        closed = true;
        queuePairs.forEach(NicQueuePair::close);
        sharedQueues.forEach(NicSharedReceiveQueue::close);
        regions.forEach(NicMemoryRegion::close);
        nic.forget(this);
    }

    @Override
    public String toString() {
        return name() + " of NIC " + nic.gid() + ": " + queuePairs.size() + " queue pairs, " + sharedQueues.size()
            + " shared receive queues, " + regions.size() + " memory regions" + (closed ? ", closed" : "");
    }
}
