package io.rxe.tools.perftest.plan;

import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairType;

/**
 * Transport and path of the packets.
 *
 * @param transport        RC, UC or UD.
 * @param pathMtu          largest path MTU to offer; the smaller offer of both sides is used.
 * @param outstandingReads responder resources offered to the peer: READs and atomics it may have outstanding; 1 to 128.
 * @param timeoutCode      local ACK timeout, 4.096 us x 2^n; 0 to 31.
 * @param peerUdpPort      UDP port of the peer's NIC.
 */
public record PerftestPath(QueuePairType transport, PathMtu pathMtu, int outstandingReads, int timeoutCode, int peerUdpPort) {
    /** @throws IllegalArgumentException for a value out of range. */
    public PerftestPath {
        if (outstandingReads < 1 || outstandingReads > 128) {
            throw new IllegalArgumentException("outstanding reads (-o) " + outstandingReads + " is not in 1..128");
        }
        if (timeoutCode < 0 || timeoutCode > 31) {
            throw new IllegalArgumentException("QP timeout (-u) " + timeoutCode + " is not in 0..31: it means 4.096 us x 2^n");
        }
        if (peerUdpPort < 1 || peerUdpPort > 65535) {
            throw new IllegalArgumentException("peer UDP port " + peerUdpPort + " is not in 1..65535");
        }
    }

    public PerftestPath withPathMtu(PathMtu mtu) {
        return new PerftestPath(transport, mtu, outstandingReads, timeoutCode, peerUdpPort);
    }
}
