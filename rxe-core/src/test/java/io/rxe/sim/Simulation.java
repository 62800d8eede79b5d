package io.rxe.sim;

import io.rxe.counters.NicCounter;
import io.rxe.device.EventText;
import io.rxe.device.NicConfig;
import io.rxe.device.NicInspection;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whole NICs, the network between them and the applications on them in one thread and in virtual time: everything a seed decides. Jumps
 * from event to event. First with faults, then healed; then everything must have completed, or failed for a reason the rules allow.
 */
final class Simulation implements Network.Tap {
    private static final int LATEST_EVENTS = 20;
    /** Virtual time within which everything must be over once the network is healed. */
    private static final long HEALED_LIMIT_NS = 120_000_000_000L;
    private static final long EVENT_LIMIT = 5_000_000;
    /** Losses of a kind that cannot all have been repaired by something else. */
    private static final int ENOUGH = 8;
    /** From a socket that holds next to nothing, where queue pairs wait for each other, to one that holds all. */
    private static final int[] WINDOW_BYTES = {4096, 16_384, 65_536, 1 << 20};

    private record QueuePairKey(NicStation station, int number) {
    }

    private final SimulationOptions options;
    private final Dice dice;
    private final VirtualTime time = new VirtualTime();
    private final Network network = new Network(this);
    private final MemoryArena arena = new MemoryArena();
    private final List<NicStation> stations = new ArrayList<>();
    private final List<ProtectionDomain> otherDomains = new ArrayList<>();
    private final List<CompletionQueue> sharedQueues = new ArrayList<>();
    private final List<MemoryRegion> counterRegions = new ArrayList<>();
    private final List<ByteBuffer> counterMemory = new ArrayList<>();
    private final List<SharedCounter> counters = new ArrayList<>();
    private final List<Connection> connections = new ArrayList<>();
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final Map<QueuePairKey, Endpoint> byNumber = new HashMap<>();
    private final WireInspector wire;
    private final CaptureFile capture;
    private long nextBlackoutNs = Long.MAX_VALUE;
    private boolean healed;
    private boolean ending;
    private long hash = 17;
    private long events;

    /** @param capture where every datagram is recorded, or null. */
    Simulation(SimulationOptions options, CaptureFile capture) {
        this.options = options;
        this.capture = capture;
        this.dice = new Dice(options.seed ^ 0x5eed_5eed_5eed_5eedL);
        this.wire = new WireInspector(this, dice.fork());
        for (int i = 0; i < options.stations; i++) {
            addStation(i);
        }
        for (NicStation source : stations) {
            for (NicStation destination : stations) {
                if (source != destination) {
                    network.connect(source, destination, options.faults, dice.fork());
                }
            }
        }
        for (int i = 0; i < options.connections; i++) {
            addConnection(i);
        }
        if (options.hasBlackouts()) {
            nextBlackoutNs = time.nowNs() + dice.between(0L, options.healAfterNs / 2);
        }
    }

    private void addStation(int index) {
        Gid gid = Gid.parse(options.ipv6 ? "fd00::" + (index + 1) : "10.0.0." + (index + 1));
        NicConfig config = new NicConfig(gid, 4791, PathMtu.MTU_4096, 1, dice.oneOf(WINDOW_BYTES));
        NicStation station = new NicStation(time, network, dice.fork(), config,
            new NicStation.SinkSettings(options.kernelIds, options.sinkFull), options.pollDelayNs);
        station.inspector(wire);
        stations.add(station);
        wire.add(station);
        otherDomains.add(station.nic().allocateProtectionDomain());
        sharedQueues.add(dice.chance(0.3) ? station.nic().createCompletionQueue(16384) : null);
        ByteBuffer memory = arena.allocate(8);
        memory.order(ByteOrder.nativeOrder()).putLong(0, 1000);
        MemoryRegion region = station.domain().register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC, 0x10000, memory);
        counterMemory.add(memory);
        counterRegions.add(region);
        counters.add(new SharedCounter(region.address(), region.rKey(), 1000));
    }

    private void addConnection(int index) {
        int a = dice.between(0, stations.size() - 1);
        int b = (a + dice.between(1, stations.size() - 1)) % stations.size();
        Connection connection = new Connection(this, "connection " + index, dice.fork());
        EndpointSettings left = EndpointSettings.draw(dice, options);
        EndpointSettings right = EndpointSettings.draw(dice, options);
        left.mtu = dice.oneOf(PathMtu.values());
        right.mtu = left.mtu;
        int most = dice.oneOf(1, 2, 5, 9);
        left.maxMessage = Math.max(16, left.mtu.bytes() * most);
        right.maxMessage = left.maxMessage;
        left.maxRdAtomic = dice.between(1, right.maxDestRdAtomic);
        right.maxRdAtomic = dice.between(1, left.maxDestRdAtomic);
        boolean wrong = dice.chance(options.wrongShare);
        if (wrong) {
            spoil(left, right);
        } else if (dice.chance(options.recreateShare)) {
            connection.recreateAt(time.nowNs() + dice.between(0L, options.healAfterNs));
        }
        connection.join(addEndpoint(connection, a, left), addEndpoint(connection, b, right));
        register(connection.left);
        register(connection.right);
        connections.add(connection);
    }

    private void spoil(EndpointSettings left, EndpointSettings right) {
        left.wrong = Wrong.values()[dice.between(1, Wrong.values().length - 1)];
        left.wrongAt = dice.between(0, left.total - 1);
        left.total = Math.min(left.total, left.wrongAt + 4);
        if (left.wrong == Wrong.BAD_RECEIVE_KEY) {
            left.wrong = Wrong.NONE;
            left.wrongAt = -1;
            right.badReceiveFrom = dice.between(0, 10);
        }
    }

    private Endpoint addEndpoint(Connection connection, int index, EndpointSettings settings) {
        NicStation station = stations.get(index);
        EndpointMemory memory = new EndpointMemory(settings, dice, arena, station.domain(), otherDomains.get(index));
        CompletionQueue shared = sharedQueues.get(index);
        CompletionQueue sends = shared != null ? shared : station.nic().createCompletionQueue(settings.sendDepth);
        CompletionQueue receives = shared != null ? shared : station.nic().createCompletionQueue(settings.receiveDepth);
        Endpoint endpoint = new Endpoint(connection, station, settings, memory, dice.fork(), sends, receives);
        endpoint.nextStepNs = time.nowNs();
        endpoints.add(endpoint);
        return endpoint;
    }

    void register(Endpoint endpoint) {
        byNumber.put(new QueuePairKey(endpoint.station, endpoint.queuePair.number()), endpoint);
    }

    void unregister(Endpoint endpoint) {
        byNumber.remove(new QueuePairKey(endpoint.station, endpoint.queuePair.number()));
    }

    Endpoint endpointOf(NicStation station, int number) {
        return byNumber.get(new QueuePairKey(station, number));
    }

    SharedCounter sharedCounter(NicStation station) {
        return counters.get(stations.indexOf(station));
    }

    long nowNs() {
        return time.nowNs();
    }

    long events() {
        return events;
    }

    long virtualNs() {
        return time.nowNs();
    }

    /** What was out of the ordinary at each station of late. */
    String latestEvents() {
        StringBuilder text = new StringBuilder();
        for (NicStation station : stations) {
            text.append("  latest events of ").append(station.gid()).append(':');
            EventText.latest(station.engine().events(), LATEST_EVENTS).forEach(line ->
                text.append(System.lineSeparator()).append("    ").append(line));
            text.append(System.lineSeparator());
        }
        return text.toString();
    }

    /** Folds something that happened into the hash of the run. */
    void mix(long value) {
        hash = (hash ^ value) * 0x9E37_79B9_7F4A_7C15L;
        hash ^= hash >>> 29;
    }

    /** Runs to the end; answers the hash of everything that happened. */
    long run() {
        if (capture == null) {
            return runAll();
        }
        for (Endpoint endpoint : endpoints) {
            capture.note(nowNs(), endpoint.fail(endpoint.station.gid() + " qp " + Integer.toHexString(endpoint.queuePair.number()) + " "
                + endpoint.settings).getMessage());
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
            happen();
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
        for (Endpoint endpoint : endpoints) {
            if (!endpoint.isFinished()) {
                text.append(' ').append(endpoint.fail("waits for " + endpoint.outstanding().peek()).getMessage())
                    .append(" (").append(NicInspection.describe(endpoint.queuePair)).append(')');
            }
        }
        return text.toString();
    }

    private long nextNs() {
        long next = Math.min(network.nextArrivalNs(), nextBlackoutNs);
        for (NicStation station : stations) {
            next = Math.min(next, station.nextPollNs());
        }
        if (!ending) {
            for (Endpoint endpoint : endpoints) {
                next = Math.min(next, endpoint.nextStepNs);
            }
            for (Connection connection : connections) {
                next = Math.min(next, connection.nextNs());
            }
        }
        return next;
    }

    private void happen() {
        long now = time.nowNs();
        events++;
        while (network.deliver(now)) {
            events++;
        }
        for (NicStation station : stations) {
            if (station.nextPollNs() <= now) {
                station.poll(now);
                watch(station);
            }
        }
        if (now >= nextBlackoutNs) {
            blackout(now);
        }
        if (ending) {
            return;
        }
        for (Connection connection : connections) {
            if (connection.nextNs() <= now) {
                connection.act(now);
            }
        }
        for (Endpoint endpoint : endpoints) {
            if (endpoint.nextStepNs <= now) {
                endpoint.step(now, healed);
            }
        }
    }

    private void watch(Station station) {
        for (Endpoint endpoint : endpoints) {
            if (endpoint.station == station) {
                endpoint.watch();
            }
        }
    }

    /** One direction, or both of a pair, goes dark for a while. */
    private void blackout(long now) {
        long untilNs = now + dice.between(100_000L, 20_000_000L);
        SimulatedLink link = network.links().get(dice.between(0, network.links().size() - 1));
        link.blackout(untilNs);
        if (dice.chance(0.5)) {
            network.links().get(dice.between(0, network.links().size() - 1)).blackout(untilNs);
        }
        nextBlackoutNs = untilNs + dice.between(1_000_000L, 20_000_000L);
    }

    private void heal() {
        healed = true;
        nextBlackoutNs = Long.MAX_VALUE;
        for (SimulatedLink link : network.links()) {
            link.faults(link.faults().healed());
            link.blackout(Long.MIN_VALUE);
        }
        stations.forEach(station -> station.sink().fullChance(0));
    }

    /** Everything has completed: let the network run dry, flush what is left, and count. */
    private void end() {
        heal();
        ending = true;
        runDry();
        for (Endpoint endpoint : endpoints) {
            endpoint.fetch();
            endpoint.process();
        }
        List<Boolean> healthy = new ArrayList<>();
        for (Connection connection : connections) {
            healthy.add(!connection.isBroken());
        }
        for (Endpoint endpoint : endpoints) {
            endpoint.moveToError();
        }
        runDry();
        for (Endpoint endpoint : endpoints) {
            endpoint.fetch();
        }
        for (Endpoint endpoint : endpoints) {
            endpoint.process();
            endpoint.checkEnd(healthy.get(connections.indexOf(endpoint.connection)));
        }
        for (int i = 0; i < stations.size(); i++) {
            counters.get(i).check(counterMemory.get(i).getLong(0));
            stations.get(i).checkCounters();
        }
        checkLinks();
        checkCalm();
        if (options.keepsOrder()) {
            checkLossesReported();
        }
        checkEvents();
        checkNothingLeft();
    }

    /** Lets everything happen that still happens by itself; an idle NIC must come to rest. */
    private void runDry() {
        long limit = time.nowNs() + HEALED_LIMIT_NS;
        long next = nextNs();
        while (next != Long.MAX_VALUE) {
            if (next > limit) {
                throw new SimulationFailure("a NIC without work does not come to rest");
            }
            time.advanceTo(next);
            happen();
            next = nextNs();
        }
    }

    private void checkLinks() {
        long handedOver = 0;
        long arrived = 0;
        for (SimulatedLink link : network.links()) {
            handedOver += link.sent + link.copies;
            arrived += link.arrivals;
            if (link.sent + link.copies != link.arrivals + link.lost + link.queueDropped + link.blackedOut) {
                throw new SimulationFailure("the network's own books do not balance");
            }
        }
        if (arrived != network.delivered) {
            throw new SimulationFailure(handedOver + " datagrams sent and copied, " + arrived + " due, " + network.delivered
                + " delivered");
        }
    }

    /** On a perfect network nothing is ever sent twice, unless a receiver was not ready or answers come later than the timer. */
    private void checkCalm() {
        boolean slow = options.sinkFull > 0.1 || options.faults.bitsPerSecond < 10e9;
        if (slow || !options.faults.isPerfect() || options.hasBlackouts() || options.ghostChance > 0) {
            return;
        }
        // Requests repeated to a receiver that is not ready fill the link, until a probe asks what has become of another one's answer.
        boolean isFlooded = endpoints.stream().anyMatch(endpoint -> endpoint.monitor.rnrNaks > 0);
        for (Endpoint endpoint : endpoints) {
            boolean plain = endpoint.connection.lives == 1 && !endpoint.connection.isBroken() && endpoint.monitor.rnrNaks == 0
                && endpoint.settings.timeout >= 12;
            if (plain && !isFlooded && endpoint.monitor.repeated != 0) {
                throw endpoint.fail(endpoint.monitor.repeated + " packets were sent again on a perfect network");
            }
        }
    }

    /** What is missing is reported and asked for (rules R1, Q4, Q5), and not only found by timers: seen over a whole run. */
    private void checkLossesReported() {
        for (NicStation station : stations) {
            long gaps = 0;
            long holes = 0;
            for (Endpoint endpoint : endpoints) {
                gaps += endpoint.peer.station == station ? endpoint.monitor.gaps() : 0;
                holes += endpoint.station == station ? endpoint.monitor.holes : 0;
            }
            if (gaps >= ENOUGH && station.nic().counter(NicCounter.SEND_SEQ_ERR) == 0) {
                throw new SimulationFailure(gaps + " gaps in the requests to " + station.gid() + " and not one was reported (rule R1)");
            }
            // When the delay after an RNR NAK is over, answers that are missing before it are asked for as well.
            boolean isAskedAnyway = station.nic().counter(NicCounter.RCVD_RNR_ERR) >= holes;
            if (holes >= 2 * ENOUGH && !isAskedAnyway && station.nic().counter(NicCounter.IMPLIED_NAK) == 0) {
                throw new SimulationFailure(holes + " answers to " + station.gid() + " were overtaken and none was asked for again"
                    + " (rules Q4, Q5)");
            }
        }
    }

    private void checkEvents() {
        for (NicStation station : stations) {
            for (AsyncEvent event = station.nic().pollAsyncEvent(); event != null; event = station.nic().pollAsyncEvent()) {
                boolean harmless = switch (event.type()) {
                    case COMM_EST, SQ_DRAINED -> true;
                    default -> false;
                };
                Endpoint endpoint = event.queuePair() == null ? null : endpointOf(station, event.queuePair().number());
                boolean expected = endpoint != null && (endpoint.connection.left.settings.wrongAt >= 0
                    || endpoint.connection.right.settings.badReceiveFrom >= 0);
                if (!harmless && !expected) {
                    throw new SimulationFailure("event " + event.type() + ": " + event.explanation());
                }
            }
        }
    }

    private void checkNothingLeft() {
        for (Endpoint endpoint : endpoints) {
            endpoint.queuePair.close();
            endpoint.memory.close();
        }
        for (int i = 0; i < stations.size(); i++) {
            NicStation station = stations.get(i);
            counterRegions.get(i).close();
            station.nic().close();
            if (NicInspection.keys(station.nic()) != 0 || NicInspection.queuePairs(station.nic()) != 0
                || NicInspection.framesInUse(station.nic()) != 0) {
                throw new SimulationFailure("after everything was closed " + station.gid() + " holds " + NicInspection.keys(station.nic())
                    + " keys, " + NicInspection.queuePairs(station.nic()) + " queue pairs and "
                    + NicInspection.framesInUse(station.nic()) + " frames");
            }
        }
    }

    @Override
    public void onSent(Datagram datagram, long nowNs) {
        if (capture != null) {
            capture.write(datagram, nowNs, "sent");
        }
        if (!healed && datagram.kind == Datagram.Kind.GENUINE && dice.chance(options.ghostChance)) {
            Datagram forged = wire.forge(datagram, nowNs);
            if (forged != null) {
                network.link(forged.flow.source(), forged.flow.destination()).insert(forged, nowNs);
            }
        }
    }

    @Override
    public void onDelivered(Station destination, Datagram datagram, long nowNs) {
        mix(nowNs);
        mix(Icrc.read(new UnsafeBuffer(datagram.bytes), datagram.bytes.length - Icrc.LENGTH));
        if (capture != null) {
            capture.write(datagram, nowNs, datagram.kind == Datagram.Kind.GENUINE ? "arrives" : "arrives, " + datagram.kind);
        }
        if (datagram.kind == Datagram.Kind.GENUINE && datagram.monitor != null) {
            datagram.monitor.onDelivered(new UnsafeBuffer(datagram.bytes), nowNs);
        }
    }

    @Override
    public void afterDelivery(Station destination, Datagram datagram, long nowNs) {
        watch(destination);
    }
}
