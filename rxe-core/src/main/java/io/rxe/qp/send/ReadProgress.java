package io.rxe.qp.send;

import java.util.Arrays;

/**
 * What was requested and received of a READ, by packet index. An atomic is a READ of one packet.
 *
 * <pre>
 *   0        received      requested        packets
 *   |===========|..==..=......|................|
 *    all arrived  some arrived  not requested
 * </pre>
 *
 * <p>A long READ is split into several READ requests on the wire, so that the send window bounds the data a peer can send at once. A
 * request takes one of the max_rd_atomic places until all of its responses, and all before them, have arrived. Responses may arrive in
 * any order. A retransmitted request never crosses the end of the original, since the peer compares it with the original (rule R5).
 */
public final class ReadProgress {
    /** Places for responses behind a gap when the first gap opens; a power of two. */
    private static final int FIRST_PLACES = 1024;

    private long packets;
    private int requestPackets;
    private long requested;
    private long received;
    private int retransmissions;
    private int released;
    /** Responses behind a gap: a ring of one bit per packet; allocated with the first gap, grows by doubling. */
    private long[] ahead = new long[0];
    private int aheadCount;
    private long aheadEnd;

    /** A new READ: nothing is requested. */
    public void begin(long packetCount, int packetsPerRequest) {
        packets = packetCount;
        requestPackets = packetsPerRequest;
        requested = 0;
        received = 0;
        retransmissions = 0;
        released = 0;
        aheadEnd = 0;
        if (aheadCount != 0) {
            Arrays.fill(ahead, 0);
            aheadCount = 0;
        }
    }

    /** One past the last packet of the request an index lies in. */
    public long requestEnd(long index) {
        return Math.min(packets, (index / requestPackets + 1) * requestPackets);
    }

    /** Whether an index is the first packet of a request. */
    public boolean isRequestStart(long index) {
        return index % requestPackets == 0;
    }

    /** Records that everything before an index was requested. */
    public void requestedTo(long index) {
        requested = index;
    }

    /** Records that a request, or a part of one, was retransmitted. */
    public void onRetransmitted() {
        retransmissions++;
    }

    /** Whether any request was retransmitted. */
    public boolean wasRetransmitted() {
        return retransmissions > 0;
    }

    /**
     * The AckReq bit of the next retransmission. The bit has no meaning on a READ or an atomic, which get a response in any case. The
     * original has it set and each retransmission inverts it, so that our responder can tell a retransmission from a copy made by the
     * network.
     */
    public boolean nextAckRequest() {
        return (retransmissions & 1) != 0;
    }

    /** One past the last packet requested. */
    public long requested() {
        return requested;
    }

    /** Everything before this index has arrived. */
    public long received() {
        return received;
    }

    public boolean isComplete() {
        return received == packets;
    }

    /** Whether everything requested has arrived. */
    public boolean isIdle() {
        return received == requested;
    }

    /** Places of max_rd_atomic this READ takes now. */
    public int placesInUse() {
        if (received == requested) {
            return 0;
        }
        return (int) ((requested - 1) / requestPackets - received / requestPackets) + 1;
    }

    /**
     * Places freed since the last call. The peer remembers only its last max_rd_atomic requests, so a place counts as free only when
     * everything before it has its response too. Call this for the oldest incomplete READ or atomic only.
     */
    public int releasePlaces() {
        int placesRequested = (int) ((requested + requestPackets - 1) / requestPackets);
        int done = placesRequested - placesInUse();
        int fresh = done - released;
        released = done;
        return fresh;
    }

    /** Whether a response arrived behind a missing one. */
    public boolean hasGap() {
        return aheadCount != 0;
    }

    /** One past the last packet that has arrived. */
    public long aheadEnd() {
        return Math.max(aheadEnd, received);
    }

    /** Whether the packet at an index has arrived. */
    public boolean has(long index) {
        return index < received || aheadCount != 0 && index < aheadEnd && (ahead[word(index)] & bit(index)) != 0;
    }

    /** Whether any packet of the request that an index lies in has arrived. */
    public boolean hasAny(long index) {
        long start = index / requestPackets * requestPackets;
        return missingEnd(start) < requestEnd(index) || firstMissing(start) != start;
    }

    /** Whether the packet at an index was requested. */
    public boolean canAccept(long index) {
        return index < requested;
    }

    /** Records an arrival that {@link #canAccept} allows and {@link #has} does not know. */
    public void arrived(long index) {
        if (index != received) {
            reserve(index);
            ahead[word(index)] |= bit(index);
            aheadCount++;
            aheadEnd = Math.max(aheadEnd, index + 1);
            return;
        }
        received++;
        while (aheadCount != 0 && (ahead[word(received)] & bit(received)) != 0) {
            ahead[word(received)] &= ~bit(received);
            aheadCount--;
            received++;
        }
    }

    private void reserve(long index) {
        long needed = index + 1 - (received & -Long.SIZE);
        int places = ahead.length * Long.SIZE;
        if (needed <= places) {
            return;
        }
        long[] before = ahead;
        ahead = new long[(int) Math.max(FIRST_PLACES, Long.highestOneBit(needed - 1) << 1) / Long.SIZE];
        for (long at = received & -Long.SIZE; at < aheadEnd && aheadCount != 0; at += Long.SIZE) {
            ahead[word(at)] = before[(int) (at >>> 6) & before.length - 1];
        }
    }

    /** The first packet at or after an index that was requested and has not arrived; {@link #requested} when there is none. */
    public long firstMissing(long from) {
        long index = Math.max(from, received);
        long end = aheadCount == 0 ? index : Math.min(requested, aheadEnd);
        while (index < end) {
            long missing = ~ahead[word(index)] >>> index;
            if (missing != 0) {
                return Math.min(requested, index + Long.numberOfTrailingZeros(missing));
            }
            index = (index >>> 6) + 1 << 6;
        }
        return Math.min(requested, index);
    }

    /**
     * The first packet at or after an index that may be requested again: the first missing one of its request; {@link #requested} or
     * more when there is none. Later gaps of the same request wait until that one is closed: rdma_rxe forgets what lies before the address
     * of the last retransmission it has served, so an earlier part could never be requested again (measured on 6.1, duplicate_request).
     */
    public long firstRequestable(long from) {
        long index = firstMissing(from);
        while (index < requested && firstMissing(index / requestPackets * requestPackets) < index) {
            index = firstMissing(requestEnd(index));
        }
        return index;
    }

    /** One past the run of missing packets that begins at an index, within its request. */
    public long missingEnd(long from) {
        long end = Math.min(requestEnd(from), requested);
        long index = from + 1;
        while (index < end && !has(index)) {
            index++;
        }
        return index;
    }

    private int word(long index) {
        return (int) (index >>> 6) & ahead.length - 1;
    }

    private static long bit(long index) {
        return 1L << (index & 63);
    }
}
