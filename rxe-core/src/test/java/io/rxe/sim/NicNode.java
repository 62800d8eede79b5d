package io.rxe.sim;

import io.rxe.counters.Drops;
import io.rxe.counters.NicCounter;
import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.NicConfig;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;

/** A node with a NIC under test. Each datagram goes to the engine that owns its queue pair, as the sockets of rxe-net steer it. */
final class NicNode implements Node {
    /** Observes each packet before its ICRC is computed, and may change it. Returns the monitor of its queue pair, or null. */
    interface Inspector {
        ProtocolMonitor onTransmit(NicNode node, byte[] bytes, Flow flow);
    }

    private static final int OFFSET = 128;
    /** Time until the work queue of a kernel processes a request. */
    private static final long RESPONSE_DELAY_NS = 5_000;

    private final VirtualTime time;
    private final Network network;
    private final Nic nic;
    private final long windowBytes;
    private final List<SimulatedEngine> engines = new ArrayList<>();
    private final ProtectionDomain domain;
    private final UnsafeBuffer received = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
    private final Map<Integer, RxeResponder> responders = new TreeMap<>();
    private long respondAtNs = Long.MAX_VALUE;
    private Inspector inspector;
    /** Null when nothing changes. */
    private ResourceChanges changes;
    long arrivals;
    /** Null where the threads of the NIC always run. */
    private BusyHost busy;
    private final ArrayDeque<Datagram> waiting = new ArrayDeque<>();
    private long awaySinceNs = Long.MAX_VALUE;

    /** @param pollDelayNs longest time between an input and the poll that follows. */
    NicNode(VirtualTime time, Network network, SeededRandom random, NicConfig config, SinkSettings settings, int pollDelayNs) {
        this.time = time;
        this.network = network;
        this.windowBytes = config.pathBytes();
        SeededRandom entropy = random.fork();
        int applicationEngine = random.chance(0.5) ? random.between(0, config.engines() - 1) : -1;
        for (int i = 0; i < config.engines(); i++) {
            engines.add(new SimulatedEngine(time, random, i == applicationEngine, pollDelayNs));
        }
        this.nic = new Nic(config, entropy::bits, List.copyOf(engines), MulticastPort.NONE, null);
        this.domain = nic.allocateProtectionDomain();
        for (int i = 0; i < config.engines(); i++) {
            engines.get(i).drive(nic.engine(i), new SimulatedSink(random.fork(), settings.kernelIpIds(), settings.fullProbability(),
                this::transmit));
        }
    }

    /** Behaviour of the sink; see {@link SimulatedSink}. */
    record SinkSettings(boolean kernelIpIds, double fullProbability) {
    }

    Nic nic() {
        return nic;
    }

    /** Upper bound of the bytes that a queue pair has in flight. */
    long windowBytes() {
        return windowBytes;
    }

    List<SimulatedEngine> engines() {
        return engines;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** Sets the probability that a sink is full. */
    void fullProbability(double probability) {
        engines.forEach(engine -> engine.sink().fullProbability(probability));
    }

    void inspector(Inspector newInspector) {
        inspector = newInspector;
    }

    /** From now on a model answers the requests to a queue pair. */
    void addResponder(int number, RxeResponder responder) {
        responders.put(number, responder);
    }

    /** Lets other programs run on its host. */
    void busy(BusyHost host) {
        busy = host;
    }

    /** Whether the thread of the NIC does not run; what arrived meanwhile is delivered once it runs. */
    private boolean isAway(long nowNs) {
        if (busy == null) {
            return false;
        }
        long sinceNs = busy.awaySinceNs(nowNs);
        if (sinceNs != Long.MAX_VALUE) {
            awaySinceNs = Math.min(awaySinceNs, sinceNs);
            return true;
        }
        if (awaySinceNs != Long.MAX_VALUE) {
            long longestWaitNs = nowNs - awaySinceNs;
            awaySinceNs = Long.MAX_VALUE;
            engines.forEach(engine -> engine.engine().hostDelay().onReceive(longestWaitNs));
            while (!waiting.isEmpty()) {
                process(waiting.poll(), nowNs);
            }
        }
        return false;
    }

    private void transmit(byte[] bytes, Flow flow, int ipId) {
        ProtocolMonitor monitor = inspector == null ? null : inspector.onTransmit(this, bytes, flow);
        engines.get(0).sink().seal(bytes, flow, ipId);
        network.send(new Datagram(bytes, flow, ipId, Datagram.Kind.GENUINE, time.nowNs(), monitor), time.nowNs());
    }

    @Override
    public Gid gid() {
        return nic.gid();
    }

    /** Overwrites the buffer afterwards, so that a NIC that kept a reference to it reads wrong bytes. */
    @Override
    public void onDatagram(Datagram datagram, long nowNs) {
        if (isAway(nowNs)) {
            waiting.add(datagram);
        } else {
            process(datagram, nowNs);
        }
    }

    private void process(Datagram datagram, long nowNs) {
        received.putBytes(OFFSET, datagram.bytes);
        int number = datagram.bytes.length < Bth.LENGTH ? 0 : Bth.destinationQpn(received, OFFSET);
        boolean isInvalid = datagram.kind == Datagram.Kind.CORRUPT || datagram.kind == Datagram.Kind.HOSTILE;
        if (!isInvalid && responders.containsKey(number) && Opcode.of(Bth.opcode(received, OFFSET)).isRequest()) {
            responders.get(number).onRequest(datagram.bytes);
            respondAtNs = Math.min(respondAtNs, nowNs + RESPONSE_DELAY_NS);
            return;
        }
        arrivals++;
        SimulatedEngine owner = engines.get(number % engines.size());
        if (isInvalid) {
            deliverInvalid(owner.engine(), datagram, nowNs);
        } else {
            owner.engine().onPacket(received, OFFSET, datagram.bytes.length, datagram.flow, nowNs);
        }
        received.setMemory(OFFSET, datagram.bytes.length, (byte) 0xdd);
        owner.pollSoon();
    }

    /** Rule R16: an invalid packet increments a drop counter and no other counter. */
    private void deliverInvalid(Engine engine, Datagram datagram, long nowNs) {
        long accepted = nic.counter(NicCounter.RCVD_PKTS);
        long dropped = Drops.of(engine.counters());
        engine.onPacket(received, OFFSET, datagram.bytes.length, datagram.flow, nowNs);
        if (nic.counter(NicCounter.RCVD_PKTS) != accepted || Drops.of(engine.counters()) != dropped + 1) {
            throw new SimulationFailure("an invalid packet was accepted: " + datagram.kind);
        }
    }

    /** With {@link Feature#CHANGES}: from now on these change. Windows are bound to the memory otherwise, and keep it as it is. */
    void change(SimulationOptions options, CompletionQueue sends, CompletionQueue receives, ApplicationMemory memory) {
        if (options.has(Feature.CHANGES)) {
            changes = changes == null ? new ResourceChanges() : changes;
            changes.add(sends);
            changes.add(receives);
            if (!options.has(Feature.WINDOWS)) {
                changes.add(memory);
            }
        }
    }

    @Override
    public void poll(long nowNs) {
        if (isAway(nowNs)) {
            return;
        }
        if (changes != null) {
            changes.step();
        }
        for (SimulatedEngine engine : engines) {
            if (engine.nextPollNs() <= nowNs) {
                engine.poll(nowNs);
            }
        }
        if (busy != null) {
            engines.forEach(engine -> engine.engine().hostDelay().onReceive(0));
        }
        if (respondAtNs <= nowNs) {
            respondAtNs = Long.MAX_VALUE;
            responders.values().forEach(responder -> respond(responder, nowNs));
        }
    }

    private void respond(RxeResponder responder, long nowNs) {
        for (Datagram response = responder.nextResponse(nowNs); response != null; response = responder.nextResponse(nowNs)) {
            response.monitor.onRxeResponseSent(new UnsafeBuffer(response.bytes));
            network.send(response, nowNs);
        }
    }

    @Override
    public long nextPollNs() {
        long next = respondAtNs;
        for (SimulatedEngine engine : engines) {
            next = Math.min(next, engine.nextPollNs());
        }
        if (busy == null) {
            return next;
        }
        long nowNs = time.nowNs();
        long dueNs = waiting.isEmpty() ? next : nowNs;
        return dueNs == Long.MAX_VALUE ? dueNs : busy.runsFromNs(Math.max(dueNs, nowNs));
    }

    /** Every datagram that arrived was either accepted for a queue pair or counted under a drop reason. */
    void checkCounters() {
        long accepted = nic.counter(NicCounter.RCVD_PKTS);
        long dropped = 0;
        for (DropReason reason : DropReason.values()) {
            // Drop reasons from 40 on are found by a queue pair, after the packet was counted as accepted.
            if (reason.id() < 40) {
                dropped += nic.counter(reason);
            }
        }
        if (accepted + dropped != arrivals) {
            throw new SimulationFailure(gid() + ": " + arrivals + " datagrams arrived, but " + accepted + " were accepted and " + dropped
                + " dropped");
        }
        long commits = engines.stream().mapToLong(engine -> engine.sink().commits).sum();
        if (nic.counter(NicCounter.SENT_PKTS) != commits) {
            throw new SimulationFailure(gid() + ": sent_pkts is " + nic.counter(NicCounter.SENT_PKTS) + ", but " + commits
                + " packets were committed");
        }
    }
}
