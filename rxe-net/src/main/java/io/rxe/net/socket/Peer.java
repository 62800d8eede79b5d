package io.rxe.net.socket;

import io.rxe.port.Flow;

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

    /** The same with the last traffic class that was not 0; null before. */
    private Flow classFlow;

    Peer(Flow flow) {
        this.flow = flow;
    }

    /** Whether these are the halves of its GID, and its port. */
    boolean isAt(long high, long low, int port) {
        return flow.sourcePort() == port && flow.source().low() == low && flow.source().high() == high;
    }

    /** From the peer to us, with a traffic class. */
    Flow flow(int trafficClass) {
        if (trafficClass == 0) {
            return flow;
        }
        if (classFlow == null || classFlow.trafficClass() != trafficClass) {
            classFlow = flow.withTrafficClass(trafficClass);
        }
        return classFlow;
    }
}
