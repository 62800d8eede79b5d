package io.rxe.qp.send;

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
    /** Responses behind a gap, by index; room for them is made with the first gap. */
    private final SequenceBits ahead = new SequenceBits();
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
        ahead.clear();
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

    /** Whether the packet at an index has arrived. */
    public boolean has(long index) {
        return index < received || index < aheadEnd && ahead.has(index);
    }

    /** Whether any packet of the request that an index lies in has arrived. */
    public boolean hasAny(long index) {
        long start = index - index % requestPackets;
        long end = Math.min(start + requestPackets, aheadEnd);
        return received > start || ahead.nextSet(start, end) < end;
    }

    /** Whether the packet at an index was requested. */
    public boolean canAccept(long index) {
        return index < requested;
    }

    /** Records an arrival that {@link #canAccept} allows and {@link #has} does not know. */
    public void arrived(long index) {
        if (index != received) {
            ahead.reserve(received, index + 1, FIRST_PLACES);
            ahead.set(index);
            aheadEnd = Math.max(aheadEnd, index + 1);
            return;
        }
        received++;
        while (ahead.has(received)) {
            ahead.clear(received, received + 1);
            received++;
        }
    }

    /** The first packet at or after an index that was requested and has not arrived; {@link #requested} when there is none. */
    public long firstMissing(long from) {
        long index = Math.max(from, received);
        long end = Math.min(requested, aheadEnd);
        return index < end ? ahead.nextClear(index, end) : Math.min(requested, index);
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
        long next = from + 1;
        if (next >= end || next < received) {
            return next;
        }
        long knownEnd = Math.min(end, aheadEnd);
        long arrived = next < knownEnd ? ahead.nextSet(next, knownEnd) : knownEnd;
        return arrived < knownEnd ? arrived : end;
    }
}
