package io.rxe.net.socket;

import io.rxe.port.Flow;
import io.rxe.wire.Ecn;

/** One remote address and port, with properties of the datagrams it sent. Belongs to the owner of the engine. */
final class Peer {
    /** From the peer to us. */
    final Flow flow;
    /** Frame length of its last batch, which is tried first on the next one; 0 before the first. */
    int segmentBytes;
    /** Last IP identification recovered from the ICRC of a single frame, 0 to 65535. */
    int lastIpId;
    /** Whether a frame with a right ICRC came from it. */
    boolean verified;
    /** Whether the system refused it a socket of its own. */
    boolean refused;
    /** Number of the look-up that found it last, of {@link PeerTable}. */
    long lastUse;

    /** The same for what routers marked; null before the first mark. */
    private Flow markedFlow;

    Peer(Flow flow) {
        this.flow = flow;
    }

    /** From the peer to us, marked by a router on the way. */
    Flow markedFlow() {
        if (markedFlow == null) {
            markedFlow = flow.withTrafficClass(Ecn.CONGESTION_EXPERIENCED);
        }
        return markedFlow;
    }
}
