package io.rxe.sim;

import io.rxe.port.Flow;

/** One UDP payload on its way, from BTH to ICRC. Its bytes never change: a corrupt copy is another datagram. */
final class Datagram {
    /** How it came to be. */
    enum Kind {
        /** As its sender sealed it. */
        GENUINE,
        /** With bits flipped on the way, so that no receiver may take it. */
        CORRUPT,
        /** Made up by the simulator: well formed, but nobody sent it. */
        FORGED
    }

    final byte[] bytes;
    final Flow flow;
    final int ipId;
    final Kind kind;
    final long sentNs;
    /** The monitor that saw it leave, or null: a datagram of an earlier connection keeps that one's. */
    final ExchangeMonitor monitor;

    Datagram(byte[] bytes, Flow flow, int ipId, Kind kind, long sentNs, ExchangeMonitor monitor) {
        this.bytes = bytes;
        this.flow = flow;
        this.ipId = ipId;
        this.kind = kind;
        this.sentNs = sentNs;
        this.monitor = monitor;
    }

    Datagram corrupted(byte[] changed) {
        return new Datagram(changed, flow, ipId, Kind.CORRUPT, sentNs, monitor);
    }
}
