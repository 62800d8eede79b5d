package io.rxe.device;

import io.rxe.wire.Gid;

/**
 * Decides whether a recovered IPv4 identification is plausible. {@link io.rxe.wire.Icrc#recoverIpId} spends 16 of the ICRC's 32 bits on
 * recovering it and verifies the packet with the other 16. When the identification also continues the sender's sequence, or starts a
 * batch (0), the packet is verified to nearly 32 bits.
 *
 * <p>Remembers a fixed number of senders, whatever addresses packets claim: a new one takes the place of the one with the same hash. A
 * sender that shares its place is verified to 16 bits where its identifications do not begin a batch.
 *
 * <p>Owned by the engine thread.
 */
final class IpIdTracker {
    /** Largest plausible step: the sender also numbers packets to other hosts in between. */
    private static final int MAX_STEP = 64;
    /** Places for senders; a power of two. */
    static final int PLACES = 2048;

    private final Gid[] senders = new Gid[PLACES];
    private final int[] lastIds = new int[PLACES];

    /** Records the identification of a packet, and returns whether it is plausible. */
    boolean isPlausible(Gid source, int id) {
        int place = place(source);
        Gid known = senders[place];
        boolean isKnown = known == source || source.equals(known);
        int step = id - lastIds[place] & 0xFFFF;
        lastIds[place] = id;
        if (!isKnown) {
            senders[place] = source;
        }
        return id == 0 || isKnown && step != 0 && step <= MAX_STEP;
    }

    private static int place(Gid source) {
        long mixed = (source.high() * 31 + source.low()) * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 32) & PLACES - 1;
    }
}
