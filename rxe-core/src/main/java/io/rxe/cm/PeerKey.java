package io.rxe.cm;

import io.rxe.wire.Gid;

/**
 * How a peer names something of its own. The address is part of it, so that two hosts with the same adapter GUID (copied virtual
 * machines) do not disturb each other.
 *
 * @param kind   what is named.
 * @param peer   address of the peer.
 * @param caGuid GUID of its adapter; 0 for a service request, which has none.
 * @param number its number.
 */
record PeerKey(Kind kind, Gid peer, long caGuid, int number) {
    enum Kind {
        /** A connection: tells a request that came twice. */
        COMMUNICATION_ID,
        /** A queue pair: tells a connection the peer has forgotten. */
        QUEUE_PAIR,
        /** A request for a datagram service: tells one that came twice. */
        SERVICE_REQUEST
    }
}
