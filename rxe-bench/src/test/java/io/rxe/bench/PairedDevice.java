package io.rxe.bench;

import io.rxe.memory.ScatterGatherList;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Device;
import io.rxe.verbs.DeviceAttributes;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairCapabilities;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RegionChange;
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * A device that executes every request at once on the calling thread, without a network. A {@link Fault} breaks it in one way, so
 * that the tests can show that the checks detect it.
 */
final class PairedDevice implements Device {
    /** An error, applied to every request it is possible for. */
    enum Fault {
        NONE, FLIPPED_BYTE, BYTE_BEYOND_THE_END, SOURCE_CHANGED, SHORT_LENGTH, WRONG_IMMEDIATE, DOUBLE_COMPLETION, ATOMIC_TWICE,
        STALE_ATOMIC_VALUE, ERROR_STATUS
    }

    private static final class Shared {
        final Map<Integer, Pair> queuePairs = new HashMap<>();
        final Map<Integer, Region> regions = new HashMap<>();
        Fault fault = Fault.NONE;
        int nextNumber = 100;
    }

    private final Shared shared;
    private final int address;

    private PairedDevice(Shared shared, int address) {
        this.shared = shared;
        this.address = address;
    }

    static PairedDevice[] couple(Fault fault) {
        Shared shared = new Shared();
        shared.fault = fault;
        return new PairedDevice[] {new PairedDevice(shared, 0x7F000001), new PairedDevice(shared, 0x7F000002)};
    }

    @Override
    public Gid gid() {
        return Gid.ofIpv4(address);
    }

    @Override
    public int udpPort() {
        return 4791;
    }

    @Override
    public PathMtu portMtu() {
        return PathMtu.MTU_4096;
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(65536, 32768, 32, 4096, 4194304, 1L << 31, 128, 128, 1 << 23, 512, 0, 1, 0, 1);
    }

    @Override
    public XrcDomain openXrcDomain() {
        throw new UnsupportedOperationException("this device implements only RC");
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return new Domain();
    }

    @Override
    public CompletionQueue createCompletionQueue(int minimumCapacity, CompletionChannel channel, boolean timestamps) {
        return new Completions(minimumCapacity);
    }

    @Override
    public AsyncEvent pollAsyncEvent() {
        return null;
    }

    @Override
    public void close() {
        shared.queuePairs.clear();
    }

    private final class Domain implements ProtectionDomain {
        @Override
        public MemoryRegion register(int access, long baseAddress, ByteBuffer... buffers) {
            Region region = new Region(shared, shared.nextNumber++, buffers[0]);
            shared.regions.put(region.key, region);
            return region;
        }

        @Override
        public AllocatedRegion allocateRegion(int maxBuffers) {
            throw new UnsupportedOperationException("this device implements only regions that a verb registers");
        }

        @Override
        public MemoryWindow allocateWindow(MemoryWindowType type) {
            throw new UnsupportedOperationException("this device implements only regions that a verb registers");
        }

        @Override
        public QueuePair createQueuePair(QueuePairConfig config) {
            Pair pair = new Pair(shared, shared.nextNumber++, config);
            shared.queuePairs.put(pair.number, pair);
            return pair;
        }

        @Override
        public SharedReceiveQueue createSharedReceiveQueue(int minimumCapacity, int maxElements) {
            throw new UnsupportedOperationException("this device implements only RC with receive queues of its own");
        }

        @Override
        public SharedReceiveQueue createSharedReceiveQueue(XrcDomain xrcDomain, CompletionQueue completionQueue, int minimumCapacity,
                                                           int maxElements) {
            throw new UnsupportedOperationException("this device implements only RC with receive queues of its own");
        }

        @Override
        public AddressHandle createAddressHandle(AddressVector vector) {
            throw new UnsupportedOperationException("this device implements only RC");
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }

    private static final class Region implements MemoryRegion {
        private final Shared shared;
        private final int key;
        private final ByteBuffer bytes;

        Region(Shared shared, int key, ByteBuffer bytes) {
            this.shared = shared;
            this.key = key;
            this.bytes = bytes.slice().order(ByteOrder.nativeOrder());
        }

        @Override
        public int lKey() {
            return key;
        }

        @Override
        public int rKey() {
            return key;
        }

        @Override
        public long address() {
            return (long) key << Integer.SIZE;
        }

        @Override
        public long length() {
            return bytes.limit();
        }

        @Override
        public ByteBuffer buffer() {
            return bytes.duplicate();
        }

        @Override
        public int access() {
            return 0;
        }

        @Override
        public void reregister(RegionChange change) {
            throw new UnsupportedOperationException("this device implements only regions that a verb registers");
        }

        int index(long address) {
            return Math.toIntExact(address - address());
        }

        @Override
        public void close() {
            shared.regions.remove(key);
        }
    }

    private static final class Completions implements CompletionQueue {
        private final Queue<WorkCompletion> waiting = new ArrayDeque<>();
        private final int capacity;

        Completions(int capacity) {
            this.capacity = capacity;
        }

        void add(WorkCompletion completion) {
            if (waiting.size() == capacity) {
                throw new IllegalStateException("completion queue of " + capacity + " overran");
            }
            waiting.add(completion);
        }

        @Override
        public int capacity() {
            return capacity;
        }

        @Override
        public void resize(int minimumCapacity) {
            throw new UnsupportedOperationException("this device implements only queues of fixed size");
        }

        @Override
        public int poll(WorkCompletion[] completions) {
            int count = 0;
            while (count < completions.length && poll(completions[count])) {
                count++;
            }
            return count;
        }

        @Override
        public boolean poll(WorkCompletion completion) {
            WorkCompletion first = waiting.poll();
            if (first != null) {
                completion.copyFrom(first);
            }
            return first != null;
        }

        @Override
        public void requestNotification(boolean solicitedOnly) {
            throw new IllegalStateException("no channel");
        }

        @Override
        public boolean isOverrun() {
            return false;
        }

        @Override
        public void close() {
            waiting.clear();
        }
    }

    private static final class Pair implements QueuePair {
        private final Shared shared;
        private final int number;
        private final QueuePairConfig config;
        private final QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RESET);
        private final Queue<ReceiveRequest> receives = new ArrayDeque<>();

        Pair(Shared shared, int number, QueuePairConfig config) {
            this.shared = shared;
            this.number = number;
            this.config = config;
        }

        @Override
        public QueuePairCapabilities capabilities() {
            return new QueuePairCapabilities(config.maxSendRequests(), config.maxReceiveRequests(), config.maxSendElements(),
                config.maxReceiveElements(), config.maxInlineBytes(), config.signalAll(), false);
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public Object attachment() {
            return null;
        }

        @Override
        public void drain() {
            throw new UnsupportedOperationException("this device completes every request at once");
        }

        @Override
        public QueuePairType type() {
            return QueuePairType.RC;
        }

        @Override
        public QueuePairState state() {
            return attributes.state();
        }

        @Override
        public void modify(QueuePairAttributes changes) {
            attributes.merge(changes);
        }

        @Override
        public QueuePairAttributes query() {
            return attributes;
        }

        @Override
        public RequestBatch<WorkRequest> beginSends() {
            throw new UnsupportedOperationException("this device copies every request");
        }

        @Override
        public RequestBatch<ReceiveRequest> beginReceives() {
            throw new UnsupportedOperationException("this device copies every request");
        }

        @Override
        public boolean postSend(WorkRequest request) {
            execute(request);
            return true;
        }

        @Override
        public boolean bindWindow(WorkRequest request) {
            throw new UnsupportedOperationException("this device implements only regions that a verb registers");
        }

        @Override
        public boolean postSendDeferred(WorkRequest request) {
            return postSend(request);
        }

        @Override
        public void ringDoorbell() {
            // Posting has executed everything.
        }

        @Override
        public boolean postReceive(ReceiveRequest request) {
            ReceiveRequest copy = new ReceiveRequest().id(request.id());
            copy.scatterGather().copyFrom(request.scatterGather());
            return receives.size() < config.maxReceiveRequests() && receives.add(copy);
        }

        @Override
        public void attachMulticast(Gid group) {
            throw new UnsupportedOperationException("this device implements only RC");
        }

        @Override
        public boolean detachMulticast(Gid group) {
            throw new UnsupportedOperationException("this device implements only RC");
        }

        @Override
        public int outstandingSends() {
            return 0;
        }

        @Override
        public void close() {
            shared.queuePairs.remove(number);
        }

        private void execute(WorkRequest request) {
            Pair peer = shared.queuePairs.get(attributes.destinationQpn());
            ScatterGatherList local = request.scatterGather();
            int size = (int) local.totalBytes();
            switch (request.operation()) {
                case SEND, SEND_WITH_IMMEDIATE -> {
                    ReceiveRequest receive = peer.receives.remove();
                    scatter(receive.scatterGather(), gather(local));
                    peer.received(receive, Operation.RECEIVE, size, request);
                }
                case RDMA_WRITE -> put(request.remoteKey(), request.remoteAddress(), gather(local));
                case RDMA_WRITE_WITH_IMMEDIATE -> {
                    put(request.remoteKey(), request.remoteAddress(), gather(local));
                    peer.received(peer.receives.remove(), Operation.RECEIVE_RDMA_WITH_IMMEDIATE, size, request);
                }
                case RDMA_READ -> {
                    byte[] data = new byte[size];
                    Region region = shared.regions.get(request.remoteKey());
                    region.bytes.get(region.index(request.remoteAddress()), data);
                    scatter(local, data);
                }
                case COMPARE_AND_SWAP, FETCH_AND_ADD -> atomic(request);
                default -> throw new IllegalArgumentException(request.operation() + " cannot be posted");
            }
            if (shared.fault == Fault.SOURCE_CHANGED && local.count() > 0 && request.operation() == Operation.SEND) {
                Region region = shared.regions.get(local.key(0));
                int index = region.index(local.address(0));
                region.bytes.put(index, (byte) (region.bytes.get(index) ^ 1));
            }
            if (request.isSignaled()) {
                complete(request, size);
            }
        }

        private void complete(WorkRequest request, int size) {
            CompletionStatus status = shared.fault == Fault.ERROR_STATUS ? CompletionStatus.REM_ACCESS_ERR : CompletionStatus.SUCCESS;
            int copies = shared.fault == Fault.DOUBLE_COMPLETION ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                ((Completions) config.sendCompletionQueue()).add(new WorkCompletion()
                    .reset(request.id(), status, request.operation(), number).byteLength(size));
            }
        }

        private void received(ReceiveRequest receive, Operation operation, int size, WorkRequest request) {
            int length = shared.fault == Fault.SHORT_LENGTH ? Math.max(0, size - 1) : size;
            WorkCompletion completion =
                new WorkCompletion().reset(receive.id(), CompletionStatus.SUCCESS, operation, number).byteLength(length);
            if (request.operation() != Operation.SEND) {
                completion.immediate(request.immediate() + (shared.fault == Fault.WRONG_IMMEDIATE ? 1 : 0));
            }
            ((Completions) config.receiveCompletionQueue()).add(completion);
        }

        private void atomic(WorkRequest request) {
            Region region = shared.regions.get(request.remoteKey());
            int index = region.index(request.remoteAddress());
            long before = region.bytes.getLong(index);
            long after = request.operation() == Operation.FETCH_AND_ADD
                ? before + request.swapOrAddValue() * (shared.fault == Fault.ATOMIC_TWICE ? 2 : 1)
                : before == request.compareValue() ? request.swapOrAddValue() : before;
            region.bytes.putLong(index, after);
            ByteBuffer result = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            result.putLong(0, shared.fault == Fault.STALE_ATOMIC_VALUE ? after : before);
            scatterExactly(request.scatterGather(), result.array());
        }

        private byte[] gather(ScatterGatherList list) {
            byte[] data = new byte[(int) list.totalBytes()];
            int at = 0;
            for (int i = 0; i < list.count(); i++) {
                Region region = shared.regions.get(list.key(i));
                region.bytes.get(region.index(list.address(i)), data, at, (int) list.length(i));
                at += (int) list.length(i);
            }
            return data;
        }

        private void scatter(ScatterGatherList list, byte[] data) {
            scatterExactly(list, corrupted(data));
            if (shared.fault == Fault.BYTE_BEYOND_THE_END && list.count() > 0) {
                int last = list.count() - 1;
                Region region = shared.regions.get(list.key(last));
                int index = region.index(list.address(last)) + (int) list.length(last);
                region.bytes.put(index, (byte) (region.bytes.get(index) ^ 0x80));
            }
        }

        private void scatterExactly(ScatterGatherList list, byte[] data) {
            int at = 0;
            for (int i = 0; i < list.count() && at < data.length; i++) {
                Region region = shared.regions.get(list.key(i));
                int count = (int) Math.min(list.length(i), data.length - at);
                region.bytes.put(region.index(list.address(i)), data, at, count);
                at += count;
            }
        }

        private void put(int key, long address, byte[] data) {
            Region region = shared.regions.get(key);
            region.bytes.put(region.index(address), corrupted(data));
        }

        private byte[] corrupted(byte[] data) {
            if (shared.fault == Fault.FLIPPED_BYTE && data.length > 0) {
                data[data.length / 2] ^= 4;
            }
            return data;
        }
    }
}
