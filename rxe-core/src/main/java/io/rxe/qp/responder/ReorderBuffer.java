package io.rxe.qp.responder;

import io.rxe.qp.FramePool;
import io.rxe.qp.InboundPacket;
import org.agrona.DirectBuffer;

/**
 * Requests that arrived ahead of a missing one, by sequence number. They were checked as far as the ICRC; nothing of them is executed
 * before everything in front of them is.
 *
 * <p>Owned by the engine thread. A queue pair that never sees disorder never allocates its index.
 */
final class ReorderBuffer {
    /** How far ahead of the expected request one is kept, in packets; a power of two. */
    static final int WINDOW = 1024;

    private final FramePool pool;
    private final InboundPacket kept = new InboundPacket();
    private int[] frames;
    private int[] lengths;
    private long[] seqs;
    private int count;

    ReorderBuffer(FramePool pool) {
        this.pool = pool;
    }

    boolean isEmpty() {
        return count == 0;
    }

    int count() {
        return count;
    }

    /** Whether the request with a sequence number is here; it is less than {@link #WINDOW} ahead of the expected one. */
    boolean has(long seq) {
        return count != 0 && frames[slot(seq)] != 0 && seqs[slot(seq)] == seq;
    }

    /** Keeps a copy; false when there is no room. */
    boolean keep(long seq, InboundPacket packet) {
        int frame = pool.acquire();
        if (frame == FramePool.NONE) {
            return false;
        }
        if (frames == null) {
            frames = new int[WINDOW];
            lengths = new int[WINDOW];
            seqs = new long[WINDOW];
        }
        if (frames[slot(seq)] != 0) {
            // Left over from a sequence number that a READ skipped.
            drop(seqs[slot(seq)]);
        }
        pool.frame(frame).putBytes(0, packet.buffer(), packet.offset(), packet.length());
        frames[slot(seq)] = frame + 1;
        lengths[slot(seq)] = packet.length();
        seqs[slot(seq)] = seq;
        count++;
        return true;
    }

    /** The kept request with a sequence number; give it back with {@link #drop} after use. */
    InboundPacket peek(long seq, InboundPacket like) {
        DirectBuffer buffer = pool.frame(frames[slot(seq)] - 1);
        kept.wrap(buffer, 0, lengths[slot(seq)], like.flow());
        return kept;
    }

    /** Gives the room of one request back. */
    void drop(long seq) {
        pool.release(frames[slot(seq)] - 1);
        frames[slot(seq)] = 0;
        count--;
    }

    /** Gives back what lies between two sequence numbers: a READ took them, so it was a peer's mistake. */
    void forget(long from, long to) {
        for (long seq = from; count > 0 && seq < Math.min(to, from + WINDOW); seq++) {
            if (has(seq)) {
                drop(seq);
            }
        }
    }

    /** Gives everything back. */
    void clear() {
        for (int i = 0; count > 0; i++) {
            if (frames[i] != 0) {
                pool.release(frames[i] - 1);
                frames[i] = 0;
                count--;
            }
        }
    }

    private static int slot(long seq) {
        return (int) seq & WINDOW - 1;
    }
}
