package io.rxe.device;

import io.rxe.counters.NicCounter;
import io.rxe.counters.QueuePairCounters;
import io.rxe.fault.TimedFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbFaults;
import io.rxe.memory.KeyTable;
import io.rxe.port.CounterSpace;
import io.rxe.port.EngineThread;
import io.rxe.port.Entropy;
import io.rxe.port.MulticastPort;
import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.context.QueuePairRings;
import io.rxe.qp.context.ReceiveQueue;
import io.rxe.qp.context.XrcReceiveQueues;
import io.rxe.qp.send.SendWqe;
import io.rxe.ring.Ring;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.Device;
import io.rxe.verbs.DeviceAttributes;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WaitDriver;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A software NIC: its resources, and the engines that share them.
 *
 * <p>Any thread may call the public methods. Changes of a queue pair run on the thread of the engine that owns it.
 */
public final class Nic implements Device, QueuePairs {
    private final NicConfig config;
    private final Entropy entropy;
    private final MulticastPort port;
    private final KeyTable keys = new KeyTable();
    private final MemoryKeys memoryKeys;
    private final EventQueue events = new EventQueue();
    private final PortLinks links = new PortLinks(events, () -> engine(0).counters().countPortDown());
    private final List<Engine> engines = new ArrayList<>();
    private final DeviceState state;
    private final Set<NicProtectionDomain> domains = ConcurrentHashMap.newKeySet();
    private final Set<NicCompletionQueue> completionQueues = ConcurrentHashMap.newKeySet();
    private final DeviceClock clock = new DeviceClock();
    private final NicProgress progress;
    private final XrcNumbers xrcNumbers = new XrcNumbers();
    private final AtomicInteger nextDomain = new AtomicInteger(1);
    private final AtomicInteger queuePairs = new AtomicInteger();
    private final AtomicInteger nextEngine = new AtomicInteger();

    /**
     * @param config   address, MTU, number of engines.
     * @param entropy  source of queue pair numbers and keys; called under a lock.
     * @param threads  the threads of the engines, one for each engine.
     * @param port     joins and leaves multicast groups.
     * @param counters memory for counters; null for private memory.
     */
    public Nic(NicConfig config, Entropy entropy, List<EngineThread> threads, MulticastPort port, CounterSpace counters) {
        if (threads.size() != config.engines()) {
            throw new IllegalArgumentException(threads.size() + " threads for " + config.engines() + " engines: give one for each");
        }
        this.config = config;
        this.state = new DeviceState(config.faults(), events, engines, completionQueues);
        this.entropy = entropy;
        this.port = port;
        this.progress = new NicProgress(threads);
        this.memoryKeys = new MemoryKeys(keys, engines, this::draw);
        for (int i = 0; i < config.engines(); i++) {
            engines.add(new Engine(state, config, i, threads.get(i), counters, keys, engines));
        }
    }

    DeviceState state() {
        return state;
    }

    KeyTable keys() {
        return keys;
    }

    /** The keys of regions and windows, as verbs change them. */
    MemoryKeys memoryKeys() {
        return memoryKeys;
    }

    /** Returns the engine for a thread to drive, 0 to {@link #engines} - 1. */
    public Engine engine(int index) {
        return engines.get(index);
    }

    /** How threads drive the engines. */
    public NicProgress progress() {
        return progress;
    }

    @Override
    public WaitDriver driver() {
        return progress.driver();
    }

    public int engines() {
        return engines.size();
    }

    /** Returns a counter, summed over the engines. */
    public long counter(NicCounter counter) {
        return engines.stream().mapToLong(engine -> engine.counters().get(counter)).sum();
    }

    /** Returns the number of packets dropped for a reason, summed over the engines. */
    public long counter(DropReason reason) {
        return engines.stream().mapToLong(engine -> engine.counters().get(reason)).sum();
    }

    @Override
    public void refuseBroadcast(String what, Gid address) {
        if (config.broadcasts().contains(address)) {
            throw new IllegalArgumentException(what + " " + address + " is the broadcast address of a subnet: use the unicast address"
                + " of one host");
        }
    }

    /** When the device was opened; who drives the engines sets it. */
    public DeviceClock clock() {
        return clock;
    }

    @Override
    public Gid gid() {
        return config.gid();
    }

    @Override
    public int ports() {
        return config.gids().size();
    }

    @Override
    public Gid gid(int port) {
        if (port < 1 || port > ports()) {
            throw new IllegalArgumentException("port " + port + " is not in 1.." + ports());
        }
        return config.gids().get(port - 1);
    }

    @Override
    public List<Gid> gids() {
        return config.gids();
    }

    @Override
    public boolean isPortActive(int port) {
        return links.isUp(port) && !state.isFailed();
    }

    /** The interface of a port is up, or down; raises PORT_ACTIVE or PORT_ERR when that is news. One thread at a time. */
    public void onLink(int port, boolean isUp, String interfaceName) {
        links.onLink(port, isUp, interfaceName);
    }

    @Override
    public VerbFaults faults() {
        return state.faults();
    }

    /** Makes something happen that {@link VerbFaults#takeDue} returned; not what is of connections. Waits for the engines. */
    public void make(TimedFault fault) {
        new MadeFaults(this, events, links).make(fault);
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
    public PartitionKeys partitionKeys() {
        return config.partitionKeys();
    }

    /** The congestion controller of queue pairs that chose none. */
    public CongestionOptions congestion() {
        return config.congestion();
    }

    @Override
    public long badPartitionKeys() {
        return counter(DropReason.WRONG_PARTITION_KEY);
    }

    @Override
    public DeviceAttributes attributes() {
        return DeviceLimits.of(config);
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        state.check(Verb.ALLOC_PD);
        return newProtectionDomain();
    }

    /** As for a program, but no fault is made of it; so is {@link #newCompletionQueue}. */
    NicProtectionDomain newProtectionDomain() {
        NicProtectionDomain domain = new NicProtectionDomain(this, nextDomain.getAndIncrement());
        domains.add(domain);
        closeIfEnded(domain::close);
        return domain;
    }

    @Override
    public XrcDomain openXrcDomain() {
        state.check(Verb.OPEN_XRCD);
        return NicXrcDomain.open(this);
    }

    @Override
    public CompletionQueue createCompletionQueue(int minimumCapacity, CompletionChannel channel, boolean timestamps) {
        state.check(Verb.CREATE_CQ);
        return newCompletionQueue(minimumCapacity, channel, timestamps);
    }

    NicCompletionQueue newCompletionQueue(int minimumCapacity, CompletionChannel channel, boolean timestamps) {
        NicCompletionQueue queue = NicCompletionQueue.of(this, minimumCapacity, channel, timestamps);
        completionQueues.add(queue);
        closeIfEnded(queue::close);
        return queue;
    }

    /** What was created while another thread closed the device, or while it failed, is closed too. */
    private void closeIfEnded(Runnable close) {
        if (!state.isUsable()) {
            close.run();
            state.check();
        }
    }

    @Override
    public AsyncEvent pollAsyncEvent() {
        return events.poll();
    }

    /**
     * Notifies a listener of every asynchronous event, which {@link #pollAsyncEvent} returns all the same.
     *
     * @param listener runs on the thread that raises the event, mostly an engine's in the middle of its work: it must not block, throw or
     *                 call an engine.
     */
    public void onAsyncEvent(Consumer<AsyncEvent> listener) {
        events.listen(listener);
    }

    /** Undoes {@link #onAsyncEvent}. */
    public void forgetAsyncEvents(Consumer<AsyncEvent> listener) {
        events.forget(listener);
    }

    /** The NIC's source of random numbers. Any thread. */
    public Entropy entropy() {
        return this::draw;
    }

    @Override
    public Observed of(QueuePair queuePair) {
        if (queuePair instanceof NicQueuePair own && own.belongsTo(this)) {
            return own;
        }
        throw new IllegalArgumentException("queue pair 0x" + Integer.toHexString(queuePair.number())
            + " belongs to another device: create it with this one");
    }

    NicProtectionDomain ownDomain(ProtectionDomain domain) {
        if (domain instanceof NicProtectionDomain own && own.nic() == this) {
            return own;
        }
        throw new IllegalArgumentException("the protection domain belongs to another device: allocate it with this one");
    }

    NicSharedReceiveQueue createSharedReceiveQueue(NicProtectionDomain domain, int minimumCapacity, int maxElements) {
        int index = nextEngine();
        return new NicSharedReceiveQueue(this, domain, engines.get(index), index, events, minimumCapacity, maxElements);
    }

    NicSharedReceiveQueue createSharedReceiveQueue(NicProtectionDomain domain, XrcDomain xrcDomain, CompletionQueue completions,
                                                   int minimumCapacity, int maxElements) {
        if (xrcDomain instanceof NicXrcDomain own && own.belongsTo(this)) {
            return own.createQueue(domain, NicCompletionQueue.own(this, completions), events, minimumCapacity, maxElements);
        }
        throw new IllegalArgumentException("the XRC domain belongs to another device: open it with this one");
    }

    int drawXrcNumber() {
        return xrcNumbers.draw(this::draw);
    }

    void releaseXrcNumber(int number) {
        xrcNumbers.release(number);
    }

    private int nextEngine() {
        return Math.floorMod(nextEngine.getAndIncrement(), engines.size());
    }

    NicQueuePair createQueuePair(NicProtectionDomain domain, QueuePairConfig request, XrcReceiveQueues xrcReceiveQueues) {
        if (queuePairs.incrementAndGet() > DeviceLimits.QUEUE_PAIRS) {
            queuePairs.decrementAndGet();
            throw new IllegalStateException("the NIC has " + DeviceLimits.QUEUE_PAIRS + " queue pairs, its maximum: close one first");
        }
        try {
            return createCountedQueuePair(domain, request, xrcReceiveQueues);
        } catch (Throwable e) {
            queuePairs.decrementAndGet();
            throw e;
        }
    }

    private NicQueuePair createCountedQueuePair(NicProtectionDomain domain, QueuePairConfig request, XrcReceiveQueues xrcReceiveQueues) {
        NicSharedReceiveQueue shared = NicSharedReceiveQueue.own(this, request.sharedReceiveQueue());
        int index = shared == null ? nextEngine() : shared.engineIndex();
        Engine engine = engines.get(index);
        Dependencies queues = new Dependencies(NicCompletionQueue.own(this, request.sendCompletionQueue()),
            NicCompletionQueue.own(this, request.receiveCompletionQueue()), shared);
        queues.checkOpen("the new queue pair");
        Ring<SendWqe> sends = new Ring<>(request.maxSendRequests(), SendWqe::new);
        ReceiveQueue receives = shared != null ? shared.queue()
            : new ReceiveQueue(new Ring<>(request.maxReceiveRequests(), ReceiveRequest::new), false, domain.number());
        return engine.thread().call(() -> {
            int number = engine.queuePairs().draw(this::draw, engine.nowNs());
            QueuePairCounters counters = engine.openCounters(number, request.type());
            try {
                QueuePairContext context = new QueuePairContext(number, request, domain.number(), engine.keys(), counters, events,
                    new QueuePairRings(sends, receives, queues.sends().ring(index), queues.receives().ring(index)), xrcReceiveQueues);
                QueuePairTasks tasks = QueuePairTasks.of(context, engine);
                NicQueuePair queuePair = new NicQueuePair(this, engine, tasks, request, domain, queues);
                queuePair.join();
                return queuePair;
            } catch (Throwable noMemory) {
                counters.close();
                throw noMemory;
            }
        });
    }

    private int draw() {
        synchronized (entropy) {
            return entropy.nextInt();
        }
    }

    /**
     * Every engine receives the datagrams of a group, and delivers them to the members it owns. The engine decides about membership, also
     * while other threads detach or close the queue pair. So each membership has one join of the port and one leave.
     */
    void attachMulticast(Engine engine, QueuePairTasks tasks, Gid group) {
        port.joinMulticast(group);
        boolean attached = false;
        try {
            attached = engine.thread().call(() -> engine.attach(tasks, group));
        } finally {
            if (!attached) {
                port.leaveMulticast(group);
            }
        }
    }

    boolean detachMulticast(Engine engine, QueuePairTasks tasks, Gid group) {
        boolean detached = engine.thread().call(() -> engine.detach(tasks, group));
        if (detached) {
            port.leaveMulticast(group);
        }
        return detached;
    }

    /** Removes a queue pair from its engine, and from the groups it is a member of. */
    void remove(Engine engine, QueuePairTasks tasks) {
        List<Gid> groups = engine.thread().call(() -> tasks.isRemoved() ? List.of() : engine.remove(tasks));
        groups.forEach(port::leaveMulticast);
        queuePairs.decrementAndGet();
    }

    Set<NicProtectionDomain> domains() {
        return domains;
    }

    Set<NicCompletionQueue> completionQueues() {
        return completionQueues;
    }

    @Override
    public void close() {
        state.checkFree(Verb.CLOSE_DEVICE);
        end();
    }

    /** As {@link #close()}, which nothing refuses. */
    public void end() {
        state.close();
        try {
            CloseEach.of(domains, NicProtectionDomain::close);
        } finally {
            CloseEach.of(completionQueues, NicCompletionQueue::close);
        }
    }

    @Override
    public String toString() {
        return "NIC " + config.gid() + " UDP port " + config.udpPort() + ", port MTU " + config.portMtu().bytes() + ", " + engines.size()
            + (engines.size() == 1 ? " engine, " : " engines, ") + queuePairs.get() + " queue pairs" + state;
    }
}
