package io.rxe.qp.responder;

import io.rxe.port.Flow;
import io.rxe.qp.context.FramePool;
import io.rxe.qp.context.InboundPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import org.agrona.DirectBuffer;

/**
 * Requests that arrived behind a gap, by sequence number. Their headers, addressing and ICRC are checked. Each is executed only after
 * everything before it.
 *
 * <pre>
 *   pages       one for 256 sequence numbers   a frame of the pool: 256 numbers of frames, a bit for each in use and for each READ
 *   requests    one for each                   a frame of the pool: length, packet
 * </pre>
 *
 * <p>So all it holds is part of the pool's memory. Owned by the engine thread. A queue pair that never sees a gap allocates nothing.
 */
final class ReorderBuffer {
    /** How far after the expected request one is kept, in packets. */
    static final int WINDOW = 1024;
    /** The same for a peer that knows gap reports; a power of two. */
    static final int LONG_WINDOW = 1 << 16;

    private static final int PAGE_BITS = 8;
    private static final int PAGE = 1 << PAGE_BITS;
    private static final int USED_AT = PAGE * Integer.BYTES;
    private static final int READS_AT = USED_AT + PAGE / Byte.SIZE;
    private static final int PAGE_BYTES = READS_AT + PAGE / Byte.SIZE;
    private static final int PACKET_AT = Long.BYTES;

    /** Offset of the BTH byte that the ICRC does not cover: congestion marks, which the network sets. */
    private static final int UNCOVERED_AT = 4;
    /** Offset of the BTH byte with AckReq, mark and rate, which may differ between retransmissions. */
    private static final int ACK_REQUEST_AT = 8;

    private final FramePool pool;
    private FramePool.PeerShare share;
    private final InboundPacket kept = new InboundPacket();
    /** The frame of each page, plus 1; 0 for none. */
    private int[] pages;
    private int count;
    private long heldBytes;

    ReorderBuffer(FramePool pool) {
        this.pool = pool;
    }

    /** A new connection with a peer. */
    void start(Gid peer) {
        stop();
        share = pool.join(peer);
    }

    /** The connection takes another path, which may lead to another address of the peer. */
    void move(Gid peer) {
        share = pool.move(share, peer, heldBytes);
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

    /** How many more packets of a length can be kept now. */
    long available(int bytes) {
        return pool.available(share, heldBytes, PACKET_AT + bytes);
    }

    /** Whether the request with a sequence number is kept. It must be less than {@link #LONG_WINDOW} after the expected one. */
    boolean has(long seq) {
        return count != 0 && page(seq) >= 0 && (word(page(seq), USED_AT, slot(seq)) & 1L << slot(seq)) != 0;
    }

    /** Whether a request is the same as the kept one with its sequence number, or a retransmission of it. */
    boolean isSame(long seq, InboundPacket packet) {
        int frame = frame(seq);
        if (lengthBytes(frame) != packet.length()) {
            return false;
        }
        DirectBuffer buffer = pool.buffer(frame);
        int offset = pool.offset(frame) + PACKET_AT;
        for (int i = 0; i < packet.length() - Icrc.LENGTH; i++) {
            if (i != UNCOVERED_AT && i != ACK_REQUEST_AT && buffer.getByte(offset + i) != packet.buffer().getByte(packet.offset() + i)) {
                return false;
            }
        }
        return true;
    }

    /** Keeps a copy; false when the share of this queue pair or its peer in the pool is used up. */
    boolean keep(long seq, InboundPacket packet) {
        if (pages == null) {
            pages = new int[LONG_WINDOW / PAGE];
        }
        boolean isNewPage = page(seq) < 0;
        if (isNewPage && !addPage(seq)) {
            return false;
        }
        int frame = acquire(PACKET_AT + packet.length());
        if (frame == FramePool.NONE) {
            if (isNewPage) {
                releasePage(seq);
            }
            return false;
        }
        int offset = pool.offset(frame);
        pool.buffer(frame).putInt(offset, packet.length());
        pool.buffer(frame).putBytes(offset + PACKET_AT, packet.buffer(), packet.offset(), packet.length());
        int page = page(seq);
        pool.buffer(page).putInt(pool.offset(page) + slot(seq) * Integer.BYTES, frame);
        set(page, USED_AT, slot(seq), true);
        set(page, READS_AT, slot(seq), packet.opcode().isReadRequest());
        count++;
        return true;
    }

    private int acquire(int bytes) {
        int frame = pool.acquire(share, heldBytes, bytes);
        heldBytes += frame == FramePool.NONE ? 0 : pool.frameBytes(frame);
        return frame;
    }

    private void release(int frame) {
        heldBytes -= pool.frameBytes(frame);
        pool.release(frame, share);
    }

    private boolean addPage(long seq) {
        int page = acquire(PAGE_BYTES);
        if (page == FramePool.NONE) {
            return false;
        }
        pool.buffer(page).setMemory(pool.offset(page) + USED_AT, PAGE_BYTES - USED_AT, (byte) 0);
        pages[pageIndex(seq)] = page + 1;
        return true;
    }

    private void releasePage(long seq) {
        release(page(seq));
        pages[pageIndex(seq)] = 0;
    }

    /** The kept request with a sequence number, as if it had come by a flow; {@link #drop} it after use. */
    InboundPacket peek(long seq, Flow flow) {
        int frame = frame(seq);
        kept.wrap(pool.buffer(frame), pool.offset(frame) + PACKET_AT, lengthBytes(frame), flow);
        return kept;
    }

    /** Releases the frame of one request. */
    void drop(long seq) {
        int page = page(seq);
        release(frame(seq));
        set(page, USED_AT, slot(seq), false);
        count--;
        if (isUnused(page)) {
            releasePage(seq);
        }
    }

    private boolean isUnused(int page) {
        long used = 0;
        for (int slot = 0; slot < PAGE; slot += Long.SIZE) {
            used |= word(page, USED_AT, slot);
        }
        return used == 0;
    }

    /** The first kept request at or behind a sequence number, or -1. */
    long firstKept(long from, long expectedSeq) {
        return count == 0 ? -1 : next(USED_AT, 0, from, expectedSeq + LONG_WINDOW);
    }

    /**
     * What follows a kept request and those that are kept behind it without a gap.
     *
     * @param mtu payload bytes of a full packet: a READ request is followed by the one behind its last response.
     */
    long endOfRun(long seq, long expectedSeq, int mtu) {
        long windowEnd = expectedSeq + LONG_WINDOW;
        long end = seq;
        while (end < windowEnd && has(end)) {
            long notKept = next(USED_AT, -1, end, windowEnd);
            long missing = notKept < 0 ? windowEnd : notKept;
            long read = next(READS_AT, 0, end, missing);
            end = read < 0 ? missing : read + packets(read, mtu);
        }
        return end;
    }

    /** Sequence numbers that a READ takes. */
    private long packets(long seq, int mtu) {
        int frame = frame(seq);
        DirectBuffer buffer = pool.buffer(frame);
        int offset = pool.offset(frame) + PACKET_AT;
        return ResponderResource.packets(Reth.dmaLength(buffer, offset + Opcode.of(Bth.opcode(buffer, offset)).rethOffset()), mtu);
    }

    /** Drops the requests between two sequence numbers. A READ took these numbers, so the peer used them twice. */
    void forget(long from, long to) {
        long end = Math.min(to, from + LONG_WINDOW);
        long seq = count == 0 ? -1 : next(USED_AT, 0, from, end);
        while (seq >= 0) {
            drop(seq);
            seq = next(USED_AT, 0, seq + 1, end);
        }
    }

    /** Drops everything. */
    void clear() {
        forget(0, LONG_WINDOW);
    }

    /** The first sequence number before an end, at or behind one, whose bit differs from those of a word; or -1. */
    private long next(int bitsAt, long not, long from, long end) {
        long seq = from;
        while (seq < end) {
            int page = page(seq);
            int slot = slot(seq);
            long differ = ((page < 0 ? 0 : word(page, bitsAt, slot)) ^ not) >>> slot;
            if (differ != 0) {
                seq += Long.numberOfTrailingZeros(differ);
                return seq < end ? seq : -1;
            }
            seq += page < 0 ? PAGE - slot : Long.SIZE - slot % Long.SIZE;
        }
        return -1;
    }

    private int page(long seq) {
        return pages[pageIndex(seq)] - 1;
    }

    private int frame(long seq) {
        int page = page(seq);
        return pool.buffer(page).getInt(pool.offset(page) + slot(seq) * Integer.BYTES);
    }

    private int lengthBytes(int frame) {
        return pool.buffer(frame).getInt(pool.offset(frame));
    }

    private long word(int page, int bitsAt, int slot) {
        return pool.buffer(page).getLong(pool.offset(page) + bitsAt + slot / Long.SIZE * Long.BYTES);
    }

    private void set(int page, int bitsAt, int slot, boolean value) {
        long old = word(page, bitsAt, slot);
        long bit = 1L << slot;
        pool.buffer(page).putLong(pool.offset(page) + bitsAt + slot / Long.SIZE * Long.BYTES, value ? old | bit : old & ~bit);
    }

    private static int pageIndex(long seq) {
        return (int) seq >>> PAGE_BITS & LONG_WINDOW / PAGE - 1;
    }

    private static int slot(long seq) {
        return (int) seq & PAGE - 1;
    }
}
