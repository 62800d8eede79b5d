package io.rxe.qp;

import java.util.Arrays;

/**
 * What a READ (or an atomic, a READ of one packet) has asked for and received, by packet index.
 *
 * <pre>
 *   0          received            asked            packets
 *   |==============|..==..=..........|.................|
 *    all arrived     some arrived      not asked yet
 * </pre>
 *
 * <p>A long READ is asked for in chunks, each a READ request of its own on the wire, so that a peer never has more data to pour out
 * than the window allows. A chunk takes one of the max_rd_atomic places until all of it and all before it has arrived. Responses may
 * arrive in any order up to {@link #REORDER_PACKETS} ahead of a gap; what is asked for again never crosses a chunk, since the peer
 * checks a repeated READ against the one it remembers (rule R5).
 */
public final class ReadProgress {
    /** How far ahead of a gap a response is accepted, in packets; a power of two. */
    public static final int REORDER_PACKETS = 1024;

    private long packets;
    private int chunkPackets;
    private long asked;
    private long received;
    private int timesAskedAgain;
    private int released;
    /** Arrived ahead of a gap, one bit a packet, index modulo {@link #REORDER_PACKETS}; made when first needed. */
    private long[] ahead;
    private int aheadCount;
    private long aheadEnd;

    /** Starts anew. */
    public void begin(long packetCount, int chunk) {
        packets = packetCount;
        chunkPackets = chunk;
        asked = 0;
        received = 0;
        timesAskedAgain = 0;
        released = 0;
        aheadEnd = 0;
        if (aheadCount != 0) {
            Arrays.fill(ahead, 0);
            aheadCount = 0;
        }
    }

    /** One past the last packet of the chunk an index lies in. */
    public long chunkEnd(long index) {
        return Math.min(packets, (index / chunkPackets + 1) * chunkPackets);
    }

    /** Whether an index begins a chunk, and so the responses of one request. */
    public boolean isChunkStart(long index) {
        return index % chunkPackets == 0;
    }

    /** Records that everything before an index has been asked for. */
    public void askedTo(long index) {
        asked = index;
    }

    /** Records that something was asked for once more. */
    public void askedAgain() {
        timesAskedAgain++;
    }

    /** Whether anything was asked for more than once. */
    public boolean wasAskedAgain() {
        return timesAskedAgain > 0;
    }

    /**
     * The AckReq bit of the next request to repeat. It means nothing on a READ or an atomic, which are answered in any case; every
     * first request has it set, and each repetition turns it over, so that a responder of ours can tell a repetition from a copy that
     * the network made.
     */
    public boolean nextAckRequest() {
        return (timesAskedAgain & 1) != 0;
    }

    /** One past the last packet asked for. */
    public long asked() {
        return asked;
    }

    /** Everything before this index has arrived. */
    public long received() {
        return received;
    }

    public boolean isComplete() {
        return received == packets;
    }

    /** Whether all that was asked for is here. */
    public boolean isIdle() {
        return received == asked;
    }

    /** Places of max_rd_atomic it takes now. */
    public int placesInUse() {
        if (received == asked) {
            return 0;
        }
        return (int) ((asked - 1) / chunkPackets - received / chunkPackets) + 1;
    }

    /**
     * Places that have become free since the last call. The peer remembers only its last max_rd_atomic requests, so a place counts as
     * free only when everything before it has been answered too: ask this of the oldest unanswered request only.
     */
    public int releasePlaces() {
        int placesAsked = (int) ((asked + chunkPackets - 1) / chunkPackets);
        int done = placesAsked - placesInUse();
        int fresh = done - released;
        released = done;
        return fresh;
    }

    /** Whether something arrived behind what is missing. */
    public boolean hasGap() {
        return aheadCount != 0;
    }

    /** One past the last packet that has arrived. */
    public long aheadEnd() {
        return Math.max(aheadEnd, received);
    }

    /** Whether the packet at an index has arrived. */
    public boolean has(long index) {
        return index < received || aheadCount != 0 && index - received < REORDER_PACKETS && (ahead[word(index)] & bit(index)) != 0;
    }

    /** Whether the packet at an index can be recorded now. */
    public boolean canAccept(long index) {
        return index < asked && index - received < REORDER_PACKETS;
    }

    /** Records an arrival that {@link #canAccept} allows and {@link #has} does not know. */
    public void arrived(long index) {
        if (index != received) {
            if (ahead == null) {
                ahead = new long[REORDER_PACKETS / Long.SIZE];
            }
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

    /** The first packet at or after an index that was asked for and has not arrived; {@link #asked} when there is none. */
    public long firstMissing(long from) {
        long index = Math.max(from, received);
        while (index < asked && has(index)) {
            index++;
        }
        return index;
    }

    /**
     * The first packet at or after an index that may be asked for again: the first missing one of its chunk; {@link #asked} or more
     * when there is none. Later gaps of the chunk have to wait until that one is closed: rdma_rxe forgets what lies before the address of
     * the last repetition it has served, so an earlier part could never be asked for once more (measured on 6.1, duplicate_request).
     */
    public long firstAskable(long from) {
        long index = firstMissing(from);
        while (index < asked && firstMissing(index / chunkPackets * chunkPackets) < index) {
            index = firstMissing(chunkEnd(index));
        }
        return index;
    }

    /** One past the run of missing packets that begins at an index, within its chunk. */
    public long missingEnd(long from) {
        long end = Math.min(chunkEnd(from), asked);
        long index = from + 1;
        while (index < end && !has(index)) {
            index++;
        }
        return index;
    }

    private static int word(long index) {
        return (int) (index & (REORDER_PACKETS - 1)) >>> 6;
    }

    private static long bit(long index) {
        return 1L << (index & 63);
    }
}
