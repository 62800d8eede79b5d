package io.rxe.qp.responder;

import io.rxe.port.Flow;
import io.rxe.qp.context.FramePool;
import io.rxe.qp.context.InboundPacket;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import org.agrona.DirectBuffer;

/**
 * Requests that arrived behind a gap, by sequence number. Their headers, addressing and ICRC are checked. Each is executed only after
 * everything before it.
 *
 * <p>Owned by the engine thread. A queue pair that never sees a gap never allocates the index.
 */
final class ReorderBuffer {
    /** How far after the expected request one is kept, in packets; a power of two. */
    static final int WINDOW = 1024;

    /** Offset of the BTH byte that the ICRC does not cover: congestion marks, which the network sets. */
    private static final int UNCOVERED_AT = 4;
    /** Offset of the BTH byte with AckReq, which may differ between retransmissions. */
    private static final int ACK_REQUEST_AT = 8;
    private static final int ACK_REQUEST = 0x80;

    private final FramePool pool;
    private FramePool.PeerShare share;
    private final InboundPacket kept = new InboundPacket();
    private int[] frames;
    private int[] lengths;
    private long[] seqs;
    private int count;

    ReorderBuffer(FramePool pool) {
        this.pool = pool;
    }

    /** A new connection with a peer. */
    void start(Gid peer) {
        stop();
        share = pool.join(peer);
    }

    /** The connection ended. */
    void stop() {
        clear();
        if (share != null) {
            pool.leave(share);
            share = null;
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    int count() {
        return count;
    }

    /** Whether the request with a sequence number is kept. It must be less than {@link #WINDOW} after the expected one. */
    boolean has(long seq) {
        return count != 0 && frames[slot(seq)] != 0 && seqs[slot(seq)] == seq;
    }

    /** Whether a request is the same as the kept one with its sequence number, or a retransmission of it. */
    boolean isSame(long seq, InboundPacket packet) {
        DirectBuffer keptBuffer = pool.frame(frames[slot(seq)] - 1);
        if (lengths[slot(seq)] != packet.length()) {
            return false;
        }
        for (int i = 0; i < packet.length() - Icrc.LENGTH; i++) {
            int ignored = i == UNCOVERED_AT ? 0xFF : i == ACK_REQUEST_AT ? ACK_REQUEST : 0;
            if (((keptBuffer.getByte(i) ^ packet.buffer().getByte(packet.offset() + i)) & ~ignored & 0xFF) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Keeps a copy; false when the share of this queue pair or its peer in the pool is used up. */
    boolean keep(long seq, InboundPacket packet) {
        if (seqs == null) {
            frames = new int[WINDOW];
            lengths = new int[WINDOW];
            seqs = new long[WINDOW];
        }
        int frame = pool.acquire(share, count);
        if (frame == FramePool.NONE) {
            return false;
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

    /** The kept request with a sequence number, as if it had come by a flow; {@link #drop} it after use. */
    InboundPacket peek(long seq, Flow flow) {
        DirectBuffer buffer = pool.frame(frames[slot(seq)] - 1);
        kept.wrap(buffer, 0, lengths[slot(seq)], flow);
        return kept;
    }

    /** Releases the frame of one request. */
    void drop(long seq) {
        pool.release(frames[slot(seq)] - 1, share);
        frames[slot(seq)] = 0;
        count--;
    }

    /** Drops the requests between two sequence numbers. A READ took these numbers, so the peer used them twice. */
    void forget(long from, long to) {
        for (long seq = from; count > 0 && seq < Math.min(to, from + WINDOW); seq++) {
            if (has(seq)) {
                drop(seq);
            }
        }
    }

    /** Drops everything. */
    void clear() {
        for (int i = 0; count > 0; i++) {
            if (frames[i] != 0) {
                pool.release(frames[i] - 1, share);
                frames[i] = 0;
                count--;
            }
        }
    }

    private static int slot(long seq) {
        return (int) seq & WINDOW - 1;
    }
}
