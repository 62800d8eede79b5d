package io.rxe.qp.context;

/**
 * How many READ requests may wait for their responses. A queue pair may ask for 128 at most. On a long path that is less than the path
 * holds: with a round trip of 100 ms, READs of 64 KiB would leave a third of 1 Gbit/s idle. So two rxe take the most that a program can
 * ask for as no limit of its own (rule G11). Atomics keep what was agreed.
 */
public final class ReadPlaces {
    /** Most READs and atomics outstanding in either direction (rxe: RXE_MAX_QP_RD_ATOM). */
    public static final int MOST_AGREED = 128;
    /** Most READ requests between two rxe: READs of 64 KiB fill the largest window that is usual. */
    static final int MOST_KNOWN = 1024;

    private ReadPlaces() {
    }

    /**
     * {@return how many may be outstanding}
     *
     * @param agreed      max_rd_atomic of a requester, max_dest_rd_atomic of a responder.
     * @param isPeerKnown whether the peer is known as an rxe.
     */
    public static int of(int agreed, boolean isPeerKnown) {
        return isPeerKnown && agreed == MOST_AGREED ? MOST_KNOWN : agreed;
    }
}
