package io.rxe.sim;

import io.rxe.counters.NicCounter;
import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.NicConfig;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** A whole NIC of ours with one engine, driven as rxe-net would drive it: polled a little after something came, or when it asked to be. */
final class NicStation implements Station {
    /** Sees, and may change, each packet before it is sealed; answers the monitor it belongs to, or null. */
    interface Inspector {
        ExchangeMonitor onLeaving(NicStation station, byte[] bytes, Flow flow);
    }

    private static final int OFFSET = 128;

    private final VirtualTime time;
    private final Network network;
    private final Dice dice;
    private final Nic nic;
    private final Engine engine;
    private final ProtectionDomain domain;
    private final SimulatedSink sink;
    private final UnsafeBuffer received = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
    private final int pollDelayNs;
    private Inspector inspector;
    private long pollAtNs = Long.MAX_VALUE;
    long arrivals;

    /** @param pollDelayNs longest time between an input and the poll that follows. */
    NicStation(VirtualTime time, Network network, Dice dice, NicConfig config, SinkSettings settings, int pollDelayNs) {
        this.time = time;
        this.network = network;
        this.dice = dice;
        this.pollDelayNs = pollDelayNs;
        Dice entropy = dice.fork();
        boolean isApplicationOnEngine = dice.chance(0.5);
        this.nic = new Nic(config, entropy::bits, List.of(new EngineThread() {
            @Override
            public void call(Runnable command) {
                command.run();
                pollSoon();
            }

            /** The application is polled by the simulation either way: what differs is how its posts reach the engine. */
            @Override
            public boolean isCurrent() {
                return isApplicationOnEngine;
            }

            @Override
            public void wake() {
                pollSoon();
            }
        }));
        this.engine = nic.engine(0);
        this.domain = nic.allocateProtectionDomain();
        this.sink = new SimulatedSink(dice.fork(), settings.kernelIds(), settings.fullChance(), this::leave);
    }

    /** How the sink behaves; see {@link SimulatedSink}. */
    record SinkSettings(boolean kernelIds, double fullChance) {
    }

    Nic nic() {
        return nic;
    }

    Engine engine() {
        return engine;
    }

    ProtectionDomain domain() {
        return domain;
    }

    SimulatedSink sink() {
        return sink;
    }

    void inspector(Inspector newInspector) {
        inspector = newInspector;
    }

    private void leave(byte[] bytes, Flow flow, int ipId) {
        ExchangeMonitor monitor = inspector == null ? null : inspector.onLeaving(this, bytes, flow);
        sink.seal(bytes, flow, ipId);
        network.send(new Datagram(bytes, flow, ipId, Datagram.Kind.GENUINE, time.nowNs(), monitor), time.nowNs());
    }

    private void pollSoon() {
        pollAtNs = Math.min(pollAtNs, time.nowNs() + dice.between(0, pollDelayNs));
    }

    @Override
    public Gid gid() {
        return nic.gid();
    }

    /** The buffer is spoilt afterwards, so that a NIC that kept a reference to it would be found out. */
    @Override
    public void onDatagram(Datagram datagram, long nowNs) {
        arrivals++;
        received.putBytes(OFFSET, datagram.bytes);
        if (datagram.kind == Datagram.Kind.CORRUPT) {
            deliverCorrupt(datagram, nowNs);
        } else {
            engine.onPacket(received, OFFSET, datagram.bytes.length, datagram.flow, nowNs);
        }
        received.setMemory(OFFSET, datagram.bytes.length, (byte) 0xdd);
        pollSoon();
    }

    /** Rule R16: a corrupt packet is counted as dropped and as nothing else. */
    private void deliverCorrupt(Datagram datagram, long nowNs) {
        long accepted = nic.counter(NicCounter.RCVD_PKTS);
        long dropped = engine.counters().dropped();
        engine.onPacket(received, OFFSET, datagram.bytes.length, datagram.flow, nowNs);
        if (nic.counter(NicCounter.RCVD_PKTS) != accepted || engine.counters().dropped() != dropped + 1) {
            throw new SimulationFailure("a corrupt packet was accepted");
        }
    }

    @Override
    public void poll(long nowNs) {
        pollAtNs = Long.MAX_VALUE;
        sink.begin(nowNs);
        int work = engine.poll(nowNs, sink);
        long deadline = engine.nextDeadlineNs();
        long next = deadline <= nowNs ? nowNs + dice.between(200, 3000) : deadline;
        if (work > 0) {
            next = Math.min(next, nowNs + dice.between(100, 1000));
        }
        pollAtNs = Math.min(pollAtNs, next);
    }

    @Override
    public long nextPollNs() {
        return pollAtNs;
    }

    /** Everything that arrived was either accepted for a queue pair or dropped under a name. */
    void checkCounters() {
        long accepted = nic.counter(NicCounter.RCVD_PKTS);
        long dropped = 0;
        for (DropReason reason : DropReason.values()) {
            // Reasons from 40 on are found out by a queue pair, after the packet was accepted for it.
            if (reason.id() < 40) {
                dropped += nic.counter(reason);
            }
        }
        if (accepted + dropped != arrivals) {
            throw new SimulationFailure(gid() + ": " + arrivals + " datagrams arrived, but " + accepted + " were accepted and " + dropped
                + " dropped");
        }
        if (nic.counter(NicCounter.SENT_PKTS) != sink.commits) {
            throw new SimulationFailure(gid() + ": sent_pkts is " + nic.counter(NicCounter.SENT_PKTS) + ", but " + sink.commits
                + " packets were committed");
        }
    }
}
