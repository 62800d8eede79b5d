package io.rxe.sim;

import io.rxe.wire.Gid;

/** A host in the network: it has an address, receives datagrams and is polled. */
interface Node {
    /** Address of the node. */
    Gid gid();

    /** A datagram arrived. */
    void onDatagram(Datagram datagram, long nowNs);

    /** Runs one iteration. */
    void poll(long nowNs);

    /** Time of the next {@link #poll}, or {@link Long#MAX_VALUE}. */
    long nextPollNs();
}
