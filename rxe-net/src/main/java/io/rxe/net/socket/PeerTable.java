package io.rxe.net.socket;

/**
 * Peers by their address and port, in sets of {@value #WAYS}: a look-up compares with the peers of one set, whatever addresses anybody
 * sends from. A new peer takes the place of the one in its set that was used least recently.
 *
 * <p>The hash is SipHash-1-3 with a random key, so that nobody can choose addresses that push a given peer out. Belongs to the owner of
 * the engine.
 */
final class PeerTable {
    static final int WAYS = 4;

    private final Peer[] peers;
    private final int setMask;
    private final long key0;
    private final long key1;
    private long lookups;
    private long comparisons;

    /** @param capacity a power of two, at least {@value #WAYS}. */
    PeerTable(int capacity, long key0, long key1) {
        this.peers = new Peer[capacity];
        this.setMask = capacity / WAYS - 1;
        this.key0 = key0;
        this.key1 = key1;
    }

    /** The peer with an address and port, or null. */
    Peer find(long high, long low, int port) {
        int first = firstOf(high, low, port);
        for (int way = first; way < first + WAYS; way++) {
            Peer peer = peers[way];
            if (peer != null) {
                comparisons++;
                if (peer.isAt(high, low, port)) {
                    peer.lastUse = ++lookups;
                    return peer;
                }
            }
        }
        return null;
    }

    /** Adds a peer that is not in the table, in place of the oldest of its set. */
    void add(Peer peer) {
        int first = firstOf(peer.flow.source().high(), peer.flow.source().low(), peer.flow.sourcePort());
        int oldest = first;
        for (int way = first; way < first + WAYS; way++) {
            if (peers[way] == null || peers[oldest] != null && peers[way].lastUse < peers[oldest].lastUse) {
                oldest = way;
            }
        }
        peer.lastUse = ++lookups;
        peers[oldest] = peer;
    }

    void remove(Peer peer) {
        int first = firstOf(peer.flow.source().high(), peer.flow.source().low(), peer.flow.sourcePort());
        for (int way = first; way < first + WAYS; way++) {
            if (peers[way] == peer) {
                peers[way] = null;
            }
        }
    }

    /** Peers that were compared with an address so far. */
    long comparisons() {
        return comparisons;
    }

    private int firstOf(long high, long low, int port) {
        return ((int) hash(high, low, port) & setMask) * WAYS;
    }

    /** SipHash-1-3 of three words: one round for each, three at the end. */
    private long hash(long high, long low, int port) {
        long v0 = key0 ^ 0x736f6d6570736575L;
        long v1 = key1 ^ 0x646f72616e646f6dL;
        long v2 = key0 ^ 0x6c7967656e657261L;
        long v3 = key1 ^ 0x7465646279746573L;
        for (int round = 0; round < 6; round++) {
            long word = round == 0 ? high : round == 1 ? low : round == 2 ? port : 0;
            v3 ^= word;
            if (round == 3) {
                v2 ^= 0xFF;
            }
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
            v0 ^= word;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
