package io.rxe.net;

import io.rxe.port.Flow;

/** One remote address and port, and what was learnt from the datagrams it sent. Belongs to the loop thread. */
final class Peer {
    /** From the peer to us. */
    final Flow flow;
    /** Frame length of the last batch, or 0: the first guess for the next one. */
    int segmentBytes;
    /** Last IP identification looked at, 0 to 65535. */
    int lastIpId;

    Peer(Flow flow) {
        this.flow = flow;
    }
}
