package io.rxe.cm.exchange;

import io.rxe.wire.Gid;
import java.util.Comparator;

/**
 * The name a peer uses for something of its own. Peers choose all of it, so tables order keys and do not hash them: many keys with one
 * hash would make a look-up slow. Includes the address, so that two hosts with the same adapter GUID (cloned virtual
 * machines) do not disturb each other.
 *
 * @param kind   what the number names.
 * @param peer   address of the peer.
 * @param caGuid GUID of its adapter; 0 for a SIDR request, which carries none.
 * @param number the ID or queue pair number.
 */
record PeerKey(Kind kind, Gid peer, long caGuid, int number) implements Comparable<PeerKey> {
    /** Order of addresses. */
    static final Comparator<Gid> BY_ADDRESS = Comparator.comparingLong(Gid::high).thenComparingLong(Gid::low);

    enum Kind {
        /** A communication ID: recognises a duplicate REQ. */
        COMMUNICATION_ID,
        /** A queue pair number: recognises a stale connection, which the peer has forgotten. */
        QUEUE_PAIR,
        /** A SIDR request ID: recognises a duplicate SIDR_REQ. */
        SERVICE_REQUEST
    }

    @Override
    public int compareTo(PeerKey other) {
        int order = Integer.compare(number, other.number);
        if (order == 0) {
            order = BY_ADDRESS.compare(peer, other.peer);
        }
        if (order == 0) {
            order = Long.compare(caGuid, other.caGuid);
        }
        return order == 0 ? kind.compareTo(other.kind) : order;
    }
}
