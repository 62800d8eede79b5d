package io.rxe.sim;

import io.rxe.port.Flow;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderField;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** Passes each packet that a NIC sends to the monitor of its queue pair, misaligns atomics on purpose, and forges ghosts. */
final class WireInspector implements NicNode.Inspector {
    /** More packets than a queue pair sends while a datagram is in the network. */
    private static final int MIN_DISTANCE = 1 << 13;
    private static final int IP_ID = 7;

    private final Simulation simulation;
    private final SeededRandom random;
    private final Map<Gid, NicNode> nodesByGid = new HashMap<>();

    WireInspector(Simulation simulation, SeededRandom random) {
        this.simulation = simulation;
        this.random = random;
    }

    void add(NicNode node) {
        for (int port = 1; port <= node.nic().ports(); port++) {
            nodesByGid.put(node.nic().gid(port), node);
        }
    }

    @Override
    public ProtocolMonitor onTransmit(NicNode source, byte[] bytes, Flow flow) {
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        NicNode destination = nodesByGid.get(flow.destination());
        Application target = destination == null ? null : simulation.applicationOf(destination, Bth.destinationQpn(buffer, 0));
        if (target == null || target.peer.node != source) {
            throw new SimulationFailure(source.gid() + " sends " + opcode + " to a queue pair that is not its peer");
        }
        if (target.peer.isGone()) {
            throw target.peer.fail("the NIC sends " + opcode + " after the queue pair was closed or reset");
        }
        boolean migReq = Bth.isMigrationRequest(buffer, 0);
        if (target.peer.paths != null) {
            target.peer.paths.onSent(flow, migReq);
        } else if (migReq || !flow.source().equals(source.gid())) {
            throw target.peer.fail("sends MigReq or leaves its path without an alternate one (rule M1): " + flow);
        }
        if (!opcode.isRequest()) {
            target.monitor.onResponseSent(buffer, bytes.length);
            return target.monitor;
        }
        ProtocolMonitor monitor = target.peer.monitor;
        monitor.onRequestSent(buffer, bytes.length, simulation.nowNs());
        if (opcode.isAtomic()) {
            misalign(buffer, opcode, target.peer, monitor);
        }
        return monitor;
    }

    /** Changes the address of an atomic before the ICRC is computed, since an application cannot post a misaligned one. */
    private static void misalign(UnsafeBuffer buffer, Opcode opcode, Application source, ProtocolMonitor monitor) {
        boolean wrong = source.settings.error == InjectedError.MISALIGNED_ATOMIC
            && monitor.requestAt(Bth.psn(buffer, 0)).error == InjectedError.MISALIGNED_ATOMIC;
        if (wrong) {
            int at = opcode.atomicEthOffset();
            HeaderField.ATOMIC_ADDRESS.set(buffer, at, AtomicEth.virtualAddress(buffer, at) + 4);
        }
    }

    /**
     * Rule P5: forges a well-formed response to a PSN that is not sent before the ghost arrives.
     *
     * @param like a response in the network; for a request the result is null.
     */
    Datagram forgeGhost(Datagram like, long nowNs) {
        UnsafeBuffer source = new UnsafeBuffer(like.bytes);
        if (Opcode.of(Bth.opcode(source, 0)).isRequest()) {
            return null;
        }
        byte[] bytes = new byte[Bth.LENGTH + Aeth.LENGTH + Icrc.LENGTH];
        UnsafeBuffer ghost = new UnsafeBuffer(bytes);
        int psn = (int) like.monitor.nextSeq() + random.oneOf(MIN_DISTANCE, random.between(MIN_DISTANCE, 2 * MIN_DISTANCE),
            random.between(2 * MIN_DISTANCE, 1 << 22)) & Psn.MASK;
        int syndrome = random.oneOf(Syndrome.ACK_UNLIMITED, Syndrome.ACK_UNLIMITED, Syndrome.PSN_SEQUENCE_ERROR, Syndrome.rnr(0),
            Syndrome.REMOTE_ACCESS_ERROR);
        Bth.write(ghost, 0, Opcode.RC_ACKNOWLEDGE, false, 0, Bth.destinationQpn(source, 0), false, psn);
        Aeth.write(ghost, Bth.LENGTH, syndrome, random.bits());
        nodesByGid.get(like.flow.source()).engines().get(0).sink().seal(bytes, like.flow, IP_ID);
        return new Datagram(bytes, like.flow, IP_ID, Datagram.Kind.FORGED, nowNs, null);
    }
}
