package io.rxe.device;

import io.rxe.counters.NicCounter;
import io.rxe.counters.QueuePairCounters;
import io.rxe.memory.KeyTable;
import io.rxe.memory.Region;
import io.rxe.memory.ScatterGatherList;
import io.rxe.port.CounterSpace;
import io.rxe.port.EngineThread;
import io.rxe.port.Entropy;
import io.rxe.port.MulticastPort;
import io.rxe.qp.AttributeLimits;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.ReceiveQueue;
import io.rxe.qp.ReceiveWqe;
import io.rxe.qp.SendWqe;
import io.rxe.ring.Ring;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.DeviceAttributes;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A software NIC: memory and resources shared by its engines.
 *
 * <p>Its public methods may be called from any thread. What changes a queue pair runs on the thread of the engine that owns it.
 */
public final class Nic implements Device {
    private static final int MAX_QUEUE_PAIRS = 1 << 20;

    private final NicConfig config;
    private final Entropy entropy;
    private final MulticastPort port;
    private final KeyTable keys = new KeyTable();
    private final EventQueue events = new EventQueue();
    private final List<Engine> engines = new ArrayList<>();
    private final Set<NicProtectionDomain> domains = ConcurrentHashMap.newKeySet();
    private final Set<NicCompletionQueue> completionQueues = ConcurrentHashMap.newKeySet();
    private final AtomicInteger nextDomain = new AtomicInteger(1);
    private final AtomicInteger nextEngine = new AtomicInteger();

    /**
     * @param config  address, MTU, number of engines.
     * @param entropy where numbers and keys come from; called under a lock.
     * @param threads the way onto the thread of each engine, as many as there are engines.
     */
    public Nic(NicConfig config, Entropy entropy, List<EngineThread> threads) {
        this(config, entropy, threads, MulticastPort.NONE);
    }

    /**
     * @param config  address, MTU, number of engines.
     * @param entropy where numbers and keys come from; called under a lock.
     * @param threads the way onto the thread of each engine, as many as there are engines.
     * @param port    joins multicast groups.
     */
    public Nic(NicConfig config, Entropy entropy, List<EngineThread> threads, MulticastPort port) {
        this(config, entropy, threads, port, null);
    }

    /**
     * @param config   address, MTU, number of engines.
     * @param entropy  where numbers and keys come from; called under a lock.
     * @param threads  the way onto the thread of each engine, as many as there are engines.
     * @param port     joins multicast groups.
     * @param counters where counters live; null for private memory.
     */
    public Nic(NicConfig config, Entropy entropy, List<EngineThread> threads, MulticastPort port, CounterSpace counters) {
        if (threads.size() != config.engines()) {
            throw new IllegalArgumentException(threads.size() + " threads for " + config.engines() + " engines: give one each");
        }
        this.config = config;
        this.entropy = entropy;
        this.port = port;
        for (int i = 0; i < config.engines(); i++) {
            engines.add(new Engine(config, i, threads.get(i), counters, keys));
        }
    }

    /** The core a thread drives. */
    public Engine engine(int index) {
        return engines.get(index);
    }

    public int engines() {
        return engines.size();
    }

    /** A counter, summed over the engines. */
    public long counter(NicCounter counter) {
        return engines.stream().mapToLong(engine -> engine.counters().get(counter)).sum();
    }

    /** Packets dropped for a reason, summed over the engines. */
    public long counter(DropReason reason) {
        return engines.stream().mapToLong(engine -> engine.counters().get(reason)).sum();
    }

    @Override
    public Gid gid() {
        return config.gid();
    }

    @Override
    public int udpPort() {
        return config.udpPort();
    }

    @Override
    public PathMtu portMtu() {
        return config.portMtu();
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(MAX_QUEUE_PAIRS, QueuePairConfig.MAX_REQUESTS, ScatterGatherList.MAX_ELEMENTS, Ring.MAX_CAPACITY,
            ScatterGatherList.MAX_MESSAGE_BYTES, AttributeLimits.MAX_READ_ATOMIC, AttributeLimits.MAX_READ_ATOMIC,
            AttributeLimits.MIN_TIMEOUT_CODE, config.engines());
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        NicProtectionDomain domain = new NicProtectionDomain(this, nextDomain.getAndIncrement());
        domains.add(domain);
        return domain;
    }

    @Override
    public CompletionQueue createCompletionQueue(int minimumCapacity, CompletionChannel channel) {
        if (minimumCapacity < 1 || minimumCapacity > Ring.MAX_CAPACITY) {
            throw new IllegalArgumentException("completion queue of " + minimumCapacity + " entries: use 1 to " + Ring.MAX_CAPACITY);
        }
        NicCompletionQueue queue = new NicCompletionQueue(this, minimumCapacity, channel, engines.size());
        completionQueues.add(queue);
        return queue;
    }

    @Override
    public AsyncEvent pollAsyncEvent() {
        return events.poll();
    }

    /**
     * Tells once that a packet of the peer has come, as COMM_EST does, but whatever the state and without taking the event away from the
     * application.
     *
     * @param queuePair of this NIC.
     * @param listener  runs on the engine's thread in the middle of its work: it must not block, throw or call an engine.
     */
    public void onArrival(QueuePair queuePair, Runnable listener) {
        if (queuePair instanceof NicQueuePair own && own.belongsTo(this)) {
            own.onArrival(listener);
        } else {
            throw new IllegalArgumentException("queue pair 0x" + Integer.toHexString(queuePair.number())
                + " belongs to another device: create it with this one");
        }
    }

    Region register(int domain, int access, long baseAddress, ByteBuffer... buffers) {
        while (true) {
            int key = draw();
            Region region = new Region(key, domain, access, baseAddress, buffers);
            if (key != 0 && keys.add(region)) {
                return region;
            }
        }
    }

    /** Takes the keys away, then lets every engine pass once: after that none can still be inside the memory. */
    void deregister(Region region) {
        keys.remove(region);
        for (Engine engine : engines) {
            engine.thread().call(() -> engine.keys().forget(region));
        }
    }

    NicSharedReceiveQueue createSharedReceiveQueue(NicProtectionDomain domain, int minimumCapacity, int maxElements) {
        int index = nextEngine();
        return new NicSharedReceiveQueue(domain, engines.get(index), index, events, minimumCapacity, maxElements);
    }

    private int nextEngine() {
        return Math.floorMod(nextEngine.getAndIncrement(), engines.size());
    }

    NicQueuePair createQueuePair(NicProtectionDomain domain, QueuePairConfig request) {
        NicSharedReceiveQueue shared = ownShared(domain, request.sharedReceiveQueue());
        int index = shared == null ? nextEngine() : shared.engineIndex();
        Engine engine = engines.get(index);
        NicCompletionQueue sendQueue = ownQueue(request.sendQueue());
        NicCompletionQueue receiveQueue = ownQueue(request.receiveQueue());
        Ring<SendWqe> sends = new Ring<>(request.maxSendRequests(), SendWqe::new);
        ReceiveQueue receives = shared != null ? shared.queue()
            : new ReceiveQueue(new Ring<>(request.maxReceiveRequests(), ReceiveWqe::new), false);
        NicQueuePair[] made = new NicQueuePair[1];
        engine.thread().call(() -> {
            int number = engine.queuePairs().draw(this::draw, engine.nowNs());
            QueuePairCounters counters = engine.openCounters(number, request.type());
            QueuePairContext context = new QueuePairContext(number, request.type(), domain.number(), request.signalAll(), engine.keys(),
                counters, events, sends, receives, sendQueue.lane(index), receiveQueue.lane(index));
            QueuePairTasks tasks = QueuePairTasks.of(context, config, engine);
            made[0] = new NicQueuePair(this, engine, tasks, request, domain);
            engine.queuePairs().add(tasks);
        });
        return made[0];
    }

    private static NicSharedReceiveQueue ownShared(NicProtectionDomain domain, SharedReceiveQueue queue) {
        if (queue == null) {
            return null;
        }
        if (queue instanceof NicSharedReceiveQueue own && own.belongsTo(domain)) {
            return own;
        }
        throw new IllegalArgumentException("the shared receive queue belongs to another protection domain: create it in this one");
    }

    private NicCompletionQueue ownQueue(CompletionQueue queue) {
        if (queue instanceof NicCompletionQueue own && own.belongsTo(this)) {
            return own;
        }
        throw new IllegalArgumentException("the completion queue belongs to another device: create it with this one");
    }

    private int draw() {
        synchronized (entropy) {
            return entropy.nextInt();
        }
    }

    /** Datagrams to the group arrive at every engine, each of which knows the members it owns. */
    void attachMulticast(Engine engine, QueuePairTasks tasks, Gid group) {
        port.joinMulticast(group);
        engine.thread().call(() -> engine.attach(tasks, group));
    }

    void detachMulticast(Engine engine, QueuePairTasks tasks, Gid group) {
        engine.thread().call(() -> engine.detach(tasks, group));
        port.leaveMulticast(group);
    }

    void forget(NicProtectionDomain domain) {
        domains.remove(domain);
    }

    void forget(NicCompletionQueue queue) {
        completionQueues.remove(queue);
    }

    @Override
    public void close() {
        domains.forEach(NicProtectionDomain::close);
        completionQueues.forEach(NicCompletionQueue::close);
    }
}
