package io.rxe.sim;

import io.rxe.port.Flow;
import io.rxe.wire.Ecn;

/** One UDP payload in the network, from BTH to ICRC. It is immutable: a corrupt copy is another datagram. */
final class Datagram {
    /** Where the bytes come from. */
    enum Kind {
        /** Unchanged since the sender computed the ICRC. */
        GENUINE,
        /** With flipped bits; the receiver must drop it. */
        CORRUPT,
        /** Made by a {@link ThirdParty}; the receiver must drop it before a queue pair processes it. */
        HOSTILE,
        /** Made by the simulator: well formed, with a valid ICRC, but no NIC sent it. */
        FORGED
    }

    final byte[] bytes;
    final Flow flow;
    final int ipId;
    final Kind kind;
    final long sentNs;
    /** The monitor that saw it being sent, or null. A datagram of an earlier incarnation keeps the monitor of that incarnation. */
    final ProtocolMonitor monitor;

    Datagram(byte[] bytes, Flow flow, int ipId, Kind kind, long sentNs, ProtocolMonitor monitor) {
        this.bytes = bytes;
        this.flow = flow;
        this.ipId = ipId;
        this.kind = kind;
        this.sentNs = sentNs;
        this.monitor = monitor;
    }

    /** As a router with a long queue passes it on. */
    Datagram marked() {
        return new Datagram(bytes, flow.withTrafficClass(flow.trafficClass() | Ecn.CONGESTION_EXPERIENCED), ipId, kind, sentNs, monitor);
    }

    Datagram corrupted(byte[] changed) {
        return new Datagram(changed, flow, ipId, Kind.CORRUPT, sentNs, monitor);
    }
}
