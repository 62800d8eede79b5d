package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.memory.KeySlot;
import io.rxe.memory.Region;
import io.rxe.port.Flow;
import io.rxe.qp.context.XrcReceiveQueues;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.ProcessMemory;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A protection domain: its regions, windows, queue pairs and shared receive queues. */
final class NicProtectionDomain implements ProtectionDomain {
    private final Nic nic;
    private final int number;
    private final Set<KeyHolder> holders = ConcurrentHashMap.newKeySet();
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

    Nic nic() {
        return nic;
    }

    @Override
    public MemoryRegion register(int access, long baseAddress, ByteBuffer... buffers) {
        checkOpen();
        AccessFlags.validate(access);
        return register(access, RegisteredMemory.of(baseAddress, buffers));
    }

    @Override
    public MemoryRegion register(int access, long baseAddress, ProcessMemory memory) {
        checkOpen();
        return register(access, RegisteredMemory.of(baseAddress, memory));
    }

    private MemoryRegion register(int access, RegisteredMemory memory) {
        nic.faults().onCall(Verb.REG_MR, memory.lengthBytes());
        memory.checkAccess(access);
        KeySlot slot = nic.memoryKeys().register(KeySlot.Type.REGION,
            key -> new Region(key, number, access, memory.baseAddress(), memory.range()));
        return add(new NicMemoryRegion(this, slot, memory, access));
    }

    @Override
    public AllocatedRegion allocateRegion(int maxBuffers) {
        checkOpen();
        if (maxBuffers < 1 || maxBuffers > DeviceLimits.MAPPED_BUFFERS) {
            throw new IllegalArgumentException("maxBuffers " + maxBuffers + " is not in 1.." + DeviceLimits.MAPPED_BUFFERS);
        }
        KeySlot slot = nic.memoryKeys().register(KeySlot.Type.ALLOCATED_REGION, key -> Region.free(key, number));
        return add(new NicAllocatedRegion(this, slot, maxBuffers));
    }

    @Override
    public MemoryWindow allocateWindow(MemoryWindowType type) {
        Objects.requireNonNull(type, "the type of the window is null: give TYPE_1 or TYPE_2");
        checkOpen(Verb.ALLOC_MW);
        KeySlot slot = nic.memoryKeys().register(type == MemoryWindowType.TYPE_1 ? KeySlot.Type.WINDOW_TYPE_1 : KeySlot.Type.WINDOW_TYPE_2,
            key -> Region.free(key, number));
        return add(new NicMemoryWindow(this, slot, type));
    }

    private <T extends KeyHolder> T add(T holder) {
        hold(holder);
        closeIfEnded(holder::close);
        return holder;
    }

    /** A region or window is of this domain from now on; {@link #closeIfEnded} follows. */
    void hold(KeyHolder holder) {
        holders.add(holder);
    }

    void forget(KeyHolder holder) {
        holders.remove(holder);
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        Objects.requireNonNull(config, "the configuration is null: start from QueuePairConfig.of");
        if (config.type() == QueuePairType.XRC_RECV) {
            throw new IllegalArgumentException("an XRC_RECV queue pair belongs to an XRC domain instead of a protection domain: create it"
                + " with XrcDomain.createQueuePair");
        }
        return createQueuePair(config, null);
    }

    /** Creates a queue pair; the shared receive queues that requests name are null for any type but XRC_RECV. */
    NicQueuePair createQueuePair(QueuePairConfig config, XrcReceiveQueues xrcReceiveQueues) {
        checkOpen(Verb.CREATE_QP);
        NicQueuePair queuePair = nic.createQueuePair(this, config, xrcReceiveQueues);
        closeIfEnded(queuePair::close);
        return queuePair;
    }

    @Override
    public NicSharedReceiveQueue createSharedReceiveQueue(int minimumCapacity, int maxElements) {
        checkOpen(Verb.CREATE_SRQ);
        return newSharedReceiveQueue(minimumCapacity, maxElements);
    }

    /** As for a program, but no fault is made of it. */
    NicSharedReceiveQueue newSharedReceiveQueue(int minimumCapacity, int maxElements) {
        return add(nic.createSharedReceiveQueue(this, minimumCapacity, maxElements));
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(XrcDomain xrcDomain, CompletionQueue completionQueue, int minimumCapacity,
                                                       int maxElements) {
        checkOpen(Verb.CREATE_SRQ);
        return add(nic.createSharedReceiveQueue(this, xrcDomain, completionQueue, minimumCapacity, maxElements));
    }

    private NicSharedReceiveQueue add(NicSharedReceiveQueue queue) {
        sharedQueues.add(queue);
        closeIfEnded(queue::close);
        return queue;
    }

    @Override
    public AddressHandle createAddressHandle(AddressVector vector) {
        Objects.requireNonNull(vector, "the address vector is null: make one with AddressVector.to");
        checkOpen(Verb.CREATE_AH);
        Gid gid = nic.gid();
        if (vector.destination().isIpv4() != gid.isIpv4()) {
            throw new IllegalArgumentException("destination " + vector.destination() + " is of another address family than the port's "
                + gid + ": use the peer's " + (gid.isIpv4() ? "IPv4" : "IPv6") + " GID");
        }
        nic.refuseBroadcast("destination", vector.destination());
        return new AddressHandle(vector, new Flow(gid, vector.destination(), nic.udpPort(), vector.udpPort(), vector.dscpClass()));
    }

    Set<NicQueuePair> queuePairs() {
        return queuePairs;
    }

    Set<NicSharedReceiveQueue> sharedReceiveQueues() {
        return sharedQueues;
    }

    void forget(NicSharedReceiveQueue queue) {
        sharedQueues.remove(queue);
    }

    void add(NicQueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    void forget(NicQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    void checkOpen() {
        nic.state().check();
        if (closed) {
            throw new IllegalStateException(name() + " is closed: allocate another");
        }
    }

    private void checkOpen(Verb verb) {
        checkOpen();
        nic.faults().onCall(verb, 0);
    }

    /** As {@link DeviceState#checkFree}, for what ends with the domain. */
    void checkFree(Verb verb) {
        if (!closed) {
            nic.state().checkFree(verb);
        }
    }

    /** What was created while another thread closed the domain is closed too. */
    void closeIfEnded(Runnable close) {
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
        checkFree(Verb.DEALLOC_PD);
        shut();
    }

    /** Closes it, which nothing refuses. */
    void shut() {
        closed = true;
        CloseEach.step(
            () -> CloseEach.of(queuePairs, NicQueuePair::close),
            () -> CloseEach.of(sharedQueues, NicSharedReceiveQueue::close),
            () -> CloseEach.of(holders, KeyHolder::close),
            () -> nic.domains().remove(this));
    }

    @Override
    public String toString() {
        return name() + " of NIC " + nic.gid() + ": " + queuePairs.size() + " queue pairs, " + sharedQueues.size()
            + " shared receive queues, " + holders.size() + " memory regions and windows" + (closed ? ", closed" : "");
    }
}
