package io.rxe.sim;

import io.rxe.device.NicConfig;
import io.rxe.device.NicInspection;
import io.rxe.device.TestConfig;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One run: NICs, the network between them and their applications, in one thread and in virtual time that jumps from event to event. A
 * phase with faults is followed by one without. At the end every request must have completed, or failed for a reason the rules allow.
 */
final class Simulation implements Network.Tap {
    /** Virtual time within which every request must complete after the faults end. */
    private static final long HEALED_LIMIT_NS = 120_000_000_000L;
    private static final long EVENT_LIMIT = 8_000_000;
    private static final long IDLE_EVENT_LIMIT = 100_000;
    private static final long MAX_DISRUPTION_NS = 3_000_000;
    private static final int MIN_LONG_PACKETS = 40;
    private static final int MAX_LONG_PACKETS = 600;
    /** Of a long message, so that a run needs tens of megabytes at most. */
    private static final int MAX_LONG_BYTES = 600 * 1024;
    /** Peer send windows: from one for which all queue pairs compete to one that never limits. */
    private static final int[] WINDOW_BYTES = {4096, 16_384, 65_536, 1 << 20};

    private record QueuePairKey(NicNode node, int number) {
    }

    private final SimulationOptions options;
    private final SeededRandom random;
    private final VirtualTime time = new VirtualTime();
    private final Network network = new Network(this);
    private final DirectMemoryPool memoryPool;
    private final List<NicNode> nodes = new ArrayList<>();
    private final List<ProtectionDomain> otherDomains = new ArrayList<>();
    private final List<CompletionQueue> sharedQueues = new ArrayList<>();
    private final List<MemoryRegion> counterRegions = new ArrayList<>();
    private final List<ByteBuffer> counterMemory = new ArrayList<>();
    private final List<SharedCounter> counters = new ArrayList<>();
    private final List<Connection> connections = new ArrayList<>();
    private final List<Application> applications = new ArrayList<>();
    private final Map<QueuePairKey, Application> byNumber = new HashMap<>();
    private final WireInspector wire;
    private final CaptureFile capture;
    private final Outages outages;
    /** Sends hostile datagrams while the network has faults; or null. */
    private final ThirdParty thirdParty;
    private boolean healed;
    private boolean ending;
    private long hash = 17;
    private long events;

    /** @param capture records every datagram; or null. */
    Simulation(SimulationOptions options, CaptureFile capture) {
        this.options = options;
        this.capture = capture;
        this.memoryPool = new DirectMemoryPool(options.has(Feature.PLACEMENT));
        this.random = new SeededRandom(options.seed ^ 0x5eed_5eed_5eed_5eedL);
        this.outages = new Outages(network, random, options.has(Feature.PATHS));
        this.wire = new WireInspector(this, random.fork());
        for (int i = 0; i < options.nodes; i++) {
            addNode(i);
        }
        for (NicNode source : nodes) {
            for (NicNode destination : nodes) {
                if (source != destination) {
                    network.connect(source, destination, options.faults, random.fork());
                    if (options.has(Feature.PATHS)) {
                        network.connect(source.nic().gid(2), destination.nic().gid(2), destination, options.faults, random.fork());
                    }
                }
            }
        }
        for (int i = 0; i < options.connections; i++) {
            addConnection(i);
        }
        thirdParty = options.has(Feature.THIRD_PARTY) ? new ThirdParty(this, random.fork(), options.ipv6) : null;
        if (options.hasOutages() || options.has(Feature.PATHS)) {
            outages.begin(time.nowNs(), options.healAfterNs / 2);
        }
    }

    private void addNode(int index) {
        int engines = options.engines(random);
        int windowBytes = random.oneOf(WINDOW_BYTES);
        NicConfig config = TestConfig.of(options.gids(index), 4791, PathMtu.MTU_4096, engines, windowBytes, Set.of(),
            NicConfig.DEFAULT_REORDER_BYTES, windowBytes);
        NicNode node = new NicNode(time, network, random.fork(), config,
            new NicNode.SinkSettings(options.kernelIpIds, options.sinkFullProbability), options.pollDelayNs);
        node.inspector(wire);
        nodes.add(node);
        wire.add(node);
        otherDomains.add(node.nic().allocateProtectionDomain());
        sharedQueues.add(random.chance(0.3) ? node.nic().createCompletionQueue(16384) : null);
        ByteBuffer memory = memoryPool.allocate(8);
        memory.order(ByteOrder.nativeOrder()).putLong(0, 1000);
        MemoryRegion region = node.domain().register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC, 0x10000, memory);
        counterMemory.add(memory);
        counterRegions.add(region);
        counters.add(new SharedCounter(region.address(), region.rKey(), 1000));
    }

    private void addConnection(int index) {
        int a = random.between(0, nodes.size() - 1);
        int b = (a + random.between(1, nodes.size() - 1)) % nodes.size();
        Connection connection = new Connection(this, "connection " + index, random.fork());
        ApplicationSettings left = ApplicationSettings.draw(random, options);
        ApplicationSettings right = ApplicationSettings.draw(random, options);
        left.mtu = random.oneOf(PathMtu.values());
        right.mtu = left.mtu;
        if (options.has(Feature.LONG_MESSAGES) && random.chance(0.7) || options.has(Feature.RXE_PEERS) && random.chance(0.4)) {
            int packets = random.between(MIN_LONG_PACKETS, MAX_LONG_PACKETS);
            left.longMessages(Math.min(packets * left.mtu.bytes(), MAX_LONG_BYTES), random);
            right.longMessages(left.maxMessage, random);
        } else {
            left.maxMessage = Math.max(16, left.mtu.bytes() * random.oneOf(1, 2, 5, 9));
            right.maxMessage = left.maxMessage;
        }
        left.maxRdAtomic = random.between(1, right.maxDestRdAtomic);
        right.maxRdAtomic = random.between(1, left.maxDestRdAtomic);
        boolean wrong = random.chance(options.errorShare);
        if (wrong) {
            injectError(left, right);
        } else if (random.chance(options.reconnectShare)) {
            connection.reconnectAt(time.nowNs() + random.between(0L, options.healAfterNs));
        } else if (options.has(Feature.DISRUPTIONS) && random.chance(0.7)) {
            drawDisruption(connection);
        }
        boolean isPlain = !wrong && !connection.changes();
        if (options.has(Feature.WINDOWS) && isPlain && random.chance(0.5)) {
            left.error = InjectedError.values()[random.between(InjectedError.ENDED_BINDING.ordinal(), InjectedError.values().length - 1)];
            left.errorAt = random.between(left.total / 2, left.total - 1);
            left.total = Math.min(left.total, left.errorAt + 4);
            isPlain = false;
        }
        boolean hasPaths = options.has(Feature.PATHS) && isPlain && random.chance(0.8);
        left.overTwoPaths(hasPaths, random);
        right.overTwoPaths(hasPaths, random);
        connection.join(addApplication(connection, a, left), addApplication(connection, b, right));
        if (options.has(Feature.RXE_PEERS) && isPlain && !hasPaths && random.chance(0.8)) {
            connection.right.answerAsRxe();
        }
        register(connection.left);
        register(connection.right);
        connections.add(connection);
    }

    private void drawDisruption(Connection connection) {
        long latestNs = random.chance(0.5) ? MAX_DISRUPTION_NS : MAX_DISRUPTION_NS / 20;
        Disruption kind = random.chance(0.2) ? Disruption.DEREGISTER_TARGET : random.oneOf(Disruption.values());
        connection.disruptAt(time.nowNs() + random.between(0L, latestNs), kind);
    }

    private void injectError(ApplicationSettings left, ApplicationSettings right) {
        left.error = InjectedError.values()[random.between(1, InjectedError.ENDED_BINDING.ordinal() - 1)];
        left.errorAt = random.between(0, left.total - 1);
        left.total = Math.min(left.total, left.errorAt + 4);
        if (left.error == InjectedError.INVALID_RECEIVE_KEY) {
            left.error = InjectedError.NONE;
            left.errorAt = -1;
            right.invalidReceiveFrom = random.between(0, 10);
        }
    }

    private Application addApplication(Connection connection, int index, ApplicationSettings settings) {
        NicNode node = nodes.get(index);
        ApplicationMemory memory = new ApplicationMemory(settings, random, memoryPool, node.domain(), otherDomains.get(index));
        CompletionQueue shared = sharedQueues.get(index);
        CompletionQueue sends = shared != null ? shared : node.nic().createCompletionQueue(settings.sendDepth);
        CompletionQueue receives = shared != null ? shared : node.nic().createCompletionQueue(settings.receiveDepth);
        Application application = new Application(connection, node, settings, memory, random.fork(), sends, receives);
        application.nextStepNs = time.nowNs();
        application.windows = options.has(Feature.WINDOWS) ? new WindowOwner(node, memory, random.fork()) : null;
        node.change(options, sends, receives, memory);
        if (settings.twoPaths) {
            application.paths = new PathOwner(application, random.fork());
        }
        applications.add(application);
        return application;
    }

    void register(Application application) {
        byNumber.put(new QueuePairKey(application.node, application.queuePair.number()), application);
    }

    void unregister(Application application) {
        byNumber.remove(new QueuePairKey(application.node, application.queuePair.number()));
    }

    Application applicationOf(NicNode node, int number) {
        return byNumber.get(new QueuePairKey(node, number));
    }

    WindowOwner.Window windowOfOther(Application application) {
        for (Application other : applications) {
            if (other != application && other.node == application.node && other.windows != null && other.isAlive()) {
                WindowOwner.Window window = other.windows.typeTwo();
                if (window != null) {
                    return window;
                }
            }
        }
        return null;
    }

    SharedCounter sharedCounter(NicNode node) {
        return counters.get(nodes.indexOf(node));
    }

    long nowNs() {
        return time.nowNs();
    }

    long events() {
        return events;
    }

    /** The latest noteworthy events of each NIC. */
    String latestEvents() {
        StringBuilder text = new StringBuilder();
        for (NicNode node : nodes) {
            text.append("  latest events of ").append(node.gid()).append(':');
            for (SimulatedEngine engine : node.engines()) {
                engine.latestEvents().lines().forEach(line -> text.append(System.lineSeparator()).append("    ").append(line));
            }
            text.append(System.lineSeparator());
        }
        return text.toString();
    }

    /** Adds a value to the hash of the run. */
    void mix(long value) {
        hash = (hash ^ value) * 0x9E37_79B9_7F4A_7C15L;
        hash ^= hash >>> 29;
    }

    /** Runs to the end and returns the hash of all events. */
    long run() {
        if (capture == null) {
            return runAll();
        }
        for (Application application : applications) {
            capture.note(nowNs(), application.fail(application.node.gid() + " qp " + Integer.toHexString(application.queuePair.number())
                + " " + application.settings).getMessage());
        }
        try {
            return runAll();
        } catch (RuntimeException | AssertionError e) {
            capture.note(nowNs(), "failure: " + e.getMessage());
            throw e;
        }
    }

    private long runAll() {
        long healAtNs = time.nowNs() + options.healAfterNs;
        while (!isFinished()) {
            if (!healed && time.nowNs() >= healAtNs) {
                heal();
            }
            if (healed && time.nowNs() > healAtNs + HEALED_LIMIT_NS || events > EVENT_LIMIT) {
                throw new SimulationFailure("not finished " + (time.nowNs() - healAtNs) / 1_000_000 + " ms after the network healed, "
                    + events + " events:" + unfinished());
            }
            long next = nextNs();
            time.advanceTo(healed ? next : Math.min(next, healAtNs));
            processEvents();
        }
        end();
        return hash;
    }

    private boolean isFinished() {
        for (Connection connection : connections) {
            if (!connection.isFinished()) {
                return false;
            }
        }
        return true;
    }

    private String unfinished() {
        StringBuilder text = new StringBuilder();
        for (Application application : applications) {
            if (!application.isFinished()) {
                text.append(' ').append(application.fail("waits for " + application.outstanding().peek()).getMessage())
                    .append(" (").append(NicInspection.describe(application.queuePair)).append(')');
            }
        }
        return text.toString();
    }

    private long nextNs() {
        long next = Math.min(network.nextArrivalNs(), outages.nextNs());
        if (thirdParty != null && !healed) {
            next = Math.min(next, Math.max(time.nowNs(), thirdParty.nextNs()));
        }
        for (NicNode node : nodes) {
            next = Math.min(next, node.nextPollNs());
        }
        if (!ending) {
            for (Application application : applications) {
                next = Math.min(next, application.nextStepNs);
            }
            for (Connection connection : connections) {
                next = Math.min(next, connection.nextNs());
            }
        }
        return next;
    }

    private void processEvents() {
        long now = time.nowNs();
        events++;
        while (network.deliver(now)) {
            events++;
        }
        for (NicNode node : nodes) {
            if (node.nextPollNs() <= now) {
                node.poll(now);
                watch(node);
            }
        }
        if (now >= outages.nextNs()) {
            outages.act(now);
        }
        if (thirdParty != null && !healed && thirdParty.nextNs() <= now) {
            attack(now);
        }
        if (ending) {
            return;
        }
        for (Connection connection : connections) {
            if (connection.nextNs() <= now) {
                connection.act(now);
            }
        }
        for (Application application : applications) {
            if (application.nextStepNs <= now) {
                application.step(now, healed);
                if (application.paths != null) {
                    application.paths.step();
                }
            }
        }
    }

    private void watch(Node node) {
        for (Application application : applications) {
            if (application.node == node) {
                application.watch();
            }
        }
    }

    private void attack(long now) {
        Application victim = applications.get(random.between(0, applications.size() - 1));
        Datagram datagram = thirdParty.next(victim, now);
        if (datagram != null) {
            network.linkTo(victim.node).insert(datagram, now);
        }
    }

    private void heal() {
        healed = true;
        outages.end();
        for (SimulatedLink link : network.links()) {
            link.faults(link.faults().healed());
        }
        nodes.forEach(node -> node.fullProbability(0));
    }

    /** Every request has completed: processes the remaining events, flushes the queues, and checks the final state. */
    private void end() {
        heal();
        ending = true;
        applications.forEach(KeepAliveRules::end);
        drain();
        for (Application application : applications) {
            application.fetch();
            application.process();
        }
        List<Boolean> healthy = new ArrayList<>();
        for (Connection connection : connections) {
            healthy.add(!connection.isBroken());
        }
        for (Application application : applications) {
            application.moveToError();
        }
        drain();
        for (Application application : applications) {
            application.fetch();
        }
        for (Application application : applications) {
            application.process();
            application.checkEnd(healthy.get(connections.indexOf(application.connection)));
        }
        for (int i = 0; i < nodes.size(); i++) {
            counters.get(i).check(counterMemory.get(i).getLong(0));
            nodes.get(i).checkCounters();
        }
        new EndChecks(this, options, network, nodes, applications).run();
        checkNothingLeft();
    }

    /** Processes the remaining events, which are some hundreds. A NIC without work must stop scheduling new ones. */
    private void drain() {
        long limit = time.nowNs() + HEALED_LIMIT_NS;
        long lastEvent = events + IDLE_EVENT_LIMIT;
        for (long next = nextNs(); next != Long.MAX_VALUE; next = nextNs()) {
            if (next > limit || events > lastEvent) {
                throw new SimulationFailure("an idle NIC still schedules events");
            }
            time.advanceTo(next);
            processEvents();
        }
    }

    private void checkNothingLeft() {
        for (Application application : applications) {
            application.queuePair.close();
            application.closeWindows();
            application.memory.close();
        }
        for (int i = 0; i < nodes.size(); i++) {
            NicNode node = nodes.get(i);
            counterRegions.get(i).close();
            node.nic().close();
            if (NicInspection.keys(node.nic()) != 0 || NicInspection.queuePairs(node.nic()) != 0
                || NicInspection.reorderBytesInUse(node.nic()) != 0) {
                throw new SimulationFailure("after everything was closed " + node.gid() + " holds " + NicInspection.keys(node.nic())
                    + " keys, " + NicInspection.queuePairs(node.nic()) + " queue pairs and "
                    + NicInspection.reorderBytesInUse(node.nic()) + " bytes of frames");
            }
        }
    }

    @Override
    public void onSent(Datagram datagram, long nowNs) {
        if (capture != null) {
            capture.write(datagram, nowNs, "sent");
        }
        if (!healed && datagram.kind == Datagram.Kind.GENUINE && random.chance(options.ghostProbability)) {
            Datagram ghost = wire.forgeGhost(datagram, nowNs);
            if (ghost != null) {
                network.link(ghost.flow.source(), ghost.flow.destination()).insert(ghost, nowNs);
            }
        }
    }

    @Override
    public void onDelivered(Node destination, Datagram datagram, long nowNs) {
        mix(nowNs);
        if (datagram.bytes.length >= Icrc.LENGTH) {
            mix(Icrc.read(new UnsafeBuffer(datagram.bytes), datagram.bytes.length - Icrc.LENGTH));
        }
        if (capture != null) {
            capture.write(datagram, nowNs, datagram.kind == Datagram.Kind.GENUINE ? "arrives" : "arrives, " + datagram.kind);
        }
        if (datagram.kind == Datagram.Kind.GENUINE && datagram.monitor != null && !PathOwner.isDropped(this, destination, datagram)) {
            datagram.monitor.onDelivered(new UnsafeBuffer(datagram.bytes), datagram.bytes.length, nowNs);
        }
        if (datagram.kind == Datagram.Kind.GENUINE || datagram.kind == Datagram.Kind.FORGED) {
            liftCredits(destination, datagram);
        }
    }

    private void liftCredits(Node destination, Datagram datagram) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        Application target = destination instanceof NicNode ? applicationOf((NicNode) destination, Bth.destinationQpn(buffer, 0)) : null;
        if (target != null && target.monitor != null && target.monitor != datagram.monitor
            && !Opcode.of(Bth.opcode(buffer, 0)).isRequest()) {
            target.monitor.credits().lift();
        }
    }

    @Override
    public void afterDelivery(Node destination, Datagram datagram, long nowNs) {
        watch(destination);
        if (datagram.monitor != null && !ending) {
            connections.forEach(connection -> connection.onArrival(destination, datagram.monitor, nowNs));
        }
    }
}
