package io.rxe.sim;

import io.rxe.wire.Gid;

/** Something with an address that takes datagrams and has things to do at certain times. */
interface Station {
    /** Its address. */
    Gid gid();

    /** A datagram arrived. */
    void onDatagram(Datagram datagram, long nowNs);

    /** Does what is due. */
    void poll(long nowNs);

    /** When {@link #poll} wants to be called, or {@link Long#MAX_VALUE}. */
    long nextPollNs();
}
