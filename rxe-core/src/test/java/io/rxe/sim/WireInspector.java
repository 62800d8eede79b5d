package io.rxe.sim;

import io.rxe.port.Flow;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** Leads each packet that leaves a NIC to the monitor of its exchange, bends the atomics that are to be wrong, and forges ghosts. */
final class WireInspector implements NicStation.Inspector {
    /** More packets than a run sends while a datagram is on its way. */
    private static final int FAR = 1 << 13;
    private static final int IP_ID = 7;

    private final Simulation simulation;
    private final Dice dice;
    private final Map<Gid, NicStation> byGid = new HashMap<>();

    WireInspector(Simulation simulation, Dice dice) {
        this.simulation = simulation;
        this.dice = dice;
    }

    void add(NicStation station) {
        byGid.put(station.gid(), station);
    }

    @Override
    public ExchangeMonitor onLeaving(NicStation source, byte[] bytes, Flow flow) {
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        NicStation destination = byGid.get(flow.destination());
        Endpoint target = destination == null ? null : simulation.endpointOf(destination, Bth.destinationQpn(buffer, 0));
        if (target == null || target.peer.station != source) {
            throw new SimulationFailure(source.gid() + " sends " + opcode + " to a queue pair that is not its peer");
        }
        if (opcode.isResponse()) {
            target.monitor.onResponseSent(buffer, bytes.length);
            return target.monitor;
        }
        ExchangeMonitor monitor = target.peer.monitor;
        monitor.onRequestSent(buffer, bytes.length, simulation.nowNs());
        if (opcode.isAtomic()) {
            bend(buffer, opcode, target.peer, monitor);
        }
        return monitor;
    }

    /** An application cannot post a misaligned atomic: its address is bent on the way out, before the ICRC is made. */
    private static void bend(UnsafeBuffer buffer, Opcode opcode, Endpoint source, ExchangeMonitor monitor) {
        boolean wrong = source.settings.wrong == Wrong.MISALIGNED_ATOMIC
            && monitor.requestAt(Bth.psn(buffer, 0)).wrong == Wrong.MISALIGNED_ATOMIC;
        if (wrong) {
            int at = opcode.atomicEthOffset();
            AtomicEth.virtualAddress(buffer, at, AtomicEth.virtualAddress(buffer, at) + 4);
        }
    }

    /**
     * Rule P5: an answer to what was never sent, and will not be before it arrives, well formed in every other way.
     *
     * @param like an answer on its way; for anything else the result is null.
     */
    Datagram forge(Datagram like, long nowNs) {
        UnsafeBuffer source = new UnsafeBuffer(like.bytes);
        if (Opcode.of(Bth.opcode(source, 0)).isRequest()) {
            return null;
        }
        byte[] bytes = new byte[Bth.LENGTH + Aeth.LENGTH + Icrc.LENGTH];
        UnsafeBuffer ghost = new UnsafeBuffer(bytes);
        int psn = (int) like.monitor.nextSeq() + dice.oneOf(FAR, dice.between(FAR, 2 * FAR), dice.between(2 * FAR, 1 << 22)) & Psn.MASK;
        int syndrome = dice.oneOf(Syndrome.ACK_UNLIMITED, Syndrome.ACK_UNLIMITED, Syndrome.PSN_SEQUENCE_ERROR, Syndrome.rnr(0),
            Syndrome.REMOTE_ACCESS_ERROR);
        Bth.write(ghost, 0, Opcode.RC_ACKNOWLEDGE, false, 0, Bth.destinationQpn(source, 0), false, psn);
        Aeth.write(ghost, Bth.LENGTH, syndrome, dice.bits());
        byGid.get(like.flow.source()).sink().seal(bytes, like.flow, IP_ID);
        return new Datagram(bytes, like.flow, IP_ID, Datagram.Kind.FORGED, nowNs, null);
    }
}
