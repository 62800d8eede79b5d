package io.rxe.qp.responder;

import java.util.Arrays;

/**
 * Duplicate READs and atomics whose responses are due again, in the order in which the requests arrived. One that finds it full is
 * dropped, and the peer requests again.
 *
 * <p>Owned by the engine thread.
 */
final class ReplayQueue {
    /** Most of a peer that goes back to its oldest missing response. */
    private static final int MAX = 16;
    /** Most of a peer that knows gap reports: it requests each gap in the responses at once. */
    private static final int MAX_OF_KNOWN = 256;

    private ResponderResource[] ring = new ResponderResource[MAX];
    private int head;
    private int count;

    /** Takes a place behind the others, or returns null when there is none. */
    ResponderResource add(boolean isKnown) {
        if (count >= (isKnown ? MAX_OF_KNOWN : MAX)) {
            return null;
        }
        if (count == ring.length) {
            grow();
        }
        int position = (head + count++) % ring.length;
        if (ring[position] == null) {
            ring[position] = new ResponderResource();
        }
        return ring[position];
    }

    private void grow() {
        ResponderResource[] longer = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
        System.arraycopy(ring, 0, longer, ring.length - head, head);
        ring = longer;
        head = 0;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** The one whose responses leave next. */
    ResponderResource first() {
        return ring[head];
    }

    /** Whether responses of the first one have left, and others are to follow. */
    boolean isBegun() {
        return count > 0 && ring[head].sent() > 0;
    }

    /** The responses of the first one have left. */
    void removeFirst() {
        head = (head + 1) % ring.length;
        count--;
    }

    /** Whether all these responses are in the queue and have not left. */
    boolean hasAll(long fromSeq, long toSeq) {
        for (int i = 0; i < count; i++) {
            ResponderResource replay = ring[(head + i) % ring.length];
            if (replay.firstSeq() + replay.sent() <= fromSeq && toSeq <= replay.endSeq()) {
                return true;
            }
        }
        return false;
    }

    void clear() {
        count = 0;
    }
}
