package io.rxe.net;

import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Icrc;
import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Gathers frames of one flow and one length back to back and sends them as one batch.
 *
 * <pre>
 *   claim 4116   claim 4116   claim 2068 (shorter: closes the batch)
 *   +------------+------------+------+
 *   | ID 0       | ID 1       | ID 2 |   one UDP_SEGMENT send of 10300 bytes, segment 4116
 *   +------------+------------+------+
 * </pre>
 *
 * <p>A frame's place in the batch is the IPv4 identification the kernel will give it, so the frame is sealed with it at once.
 * Where the kernel or device turns out not to segment, the batch is sealed again with identification 0 and leaves frame by
 * frame, as does every later one.
 *
 * <p>When the socket is full the batch stays and {@link #claim} answers FULL until {@link #flush} got rid of it. Owned by the
 * loop thread. Allocates nothing.
 */
final class EpollPacketSink implements PacketSink {
    /** Segments of one send that every kernel takes. */
    static final int MAX_SEGMENTS = 64;
    /** Longest UDP payload over IPv4. */
    static final int MAX_BATCH_BYTES = 65507;

    private final UdpPort port;
    private final NetCounters counters;
    private final Notices notices;
    private final Icrc icrc = new Icrc();
    private final UnsafeBuffer buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(1 << 16, 64));
    private boolean segmenting;
    private Flow flow;
    private int segmentBytes;
    private int frames;
    private int batchBytes;
    private int claimedBytes;
    /** Bytes of the batch that have left already, when it goes out frame by frame. */
    private int sentBytes;
    private boolean closed;
    private boolean blocked;
    /** Whether this batch was refused as a whole and leaves frame by frame. */
    private boolean refused;

    EpollPacketSink(UdpPort port, NetCounters counters, Notices notices) {
        this.port = port;
        this.counters = counters;
        this.notices = notices;
        this.segmenting = port.canSegment();
    }

    @Override
    public int claim(Flow wanted, int lengthBytes) {
        assert lengthBytes >= 16 && lengthBytes <= MAX_BATCH_BYTES : lengthBytes;
        if (blocked || frames > 0 && !joins(wanted, lengthBytes) && !flush()) {
            return FULL;
        }
        if (frames == 0) {
            flow = wanted;
            segmentBytes = lengthBytes;
        }
        claimedBytes = lengthBytes;
        return batchBytes;
    }

    private boolean joins(Flow wanted, int lengthBytes) {
        return !closed && lengthBytes <= segmentBytes && frames < MAX_SEGMENTS && batchBytes + lengthBytes <= MAX_BATCH_BYTES
            && (wanted == flow || wanted.equals(flow));
    }

    @Override
    public MutableDirectBuffer buffer() {
        return buffer;
    }

    @Override
    public void commit() {
        assert claimedBytes > 0 : "commit without claim";
        seal(batchBytes, claimedBytes, segmenting ? frames : 0);
        closed = claimedBytes < segmentBytes;
        batchBytes += claimedBytes;
        claimedBytes = 0;
        frames++;
    }

    private void seal(int offset, int lengthBytes, int identification) {
        int covered = lengthBytes - Icrc.LENGTH;
        Icrc.write(buffer, offset + covered,
            icrc.compute(buffer, offset, covered, flow.icrcSeed(), flow.isIpv4(), identification));
    }

    /**
     * Sends what has been committed.
     *
     * @return whether nothing is left; false when the socket is full, then the port reports when it is ready.
     */
    boolean flush() {
        if (frames == 0) {
            return true;
        }
        boolean done = segmenting && !refused ? sendBatch() : sendOneByOne();
        blocked = !done;
        return done;
    }

    /** Whether a batch was begun to which another frame of its length can be added. */
    boolean isOpen() {
        return frames > 0 && !blocked && joins(flow, segmentBytes);
    }

    /** Whether frames wait for room in the socket. */
    boolean isBlocked() {
        return blocked;
    }

    private boolean sendBatch() {
        SendStatus status = port.send(flow, buffer, 0, batchBytes, segmentBytes);
        if (status == SendStatus.BUSY) {
            return false;
        }
        if (status == SendStatus.SEGMENTATION_REFUSED) {
            return withoutSegmentation();
        }
        account(status, frames, batchBytes);
        if (status == SendStatus.SENT && frames > 1) {
            counters.count(NetCounter.SENT_BATCHES);
            counters.mark(NetCounter.LARGEST_SENT_BATCH, frames);
        }
        reset();
        return true;
    }

    private boolean withoutSegmentation() {
        refused = true;
        for (int offset = segmentBytes; offset < batchBytes; offset += segmentBytes) {
            seal(offset, Math.min(segmentBytes, batchBytes - offset), 0);
        }
        return sendOneByOne();
    }

    private boolean sendOneByOne() {
        while (sentBytes < batchBytes) {
            int lengthBytes = Math.min(segmentBytes, batchBytes - sentBytes);
            SendStatus status = port.send(flow, buffer, sentBytes, lengthBytes, lengthBytes);
            if (status == SendStatus.BUSY) {
                return false;
            }
            if (status == SendStatus.SENT && refused && segmenting) {
                stopSegmenting();
            }
            account(status, 1, lengthBytes);
            sentBytes += lengthBytes;
        }
        reset();
        return true;
    }

    /** Only now is it clear that the refusal was about segmentation, and not about a frame that no send can carry. */
    private void stopSegmenting() {
        segmenting = false;
        notices.once("segmentation", "the kernel or the device refuses to segment UDP (UDP_SEGMENT): frames leave one by one"
            + " from now on, which is slower; --gso off says so from the start");
    }

    private void account(SendStatus status, int count, int bytes) {
        if (status == SendStatus.SENT) {
            counters.count(NetCounter.SENT_FRAMES, count);
            counters.count(NetCounter.SENT_BYTES, bytes);
        } else {
            counters.count(NetCounter.DROPPED_FRAMES, count);
        }
    }

    private void reset() {
        frames = 0;
        batchBytes = 0;
        sentBytes = 0;
        closed = false;
        refused = false;
        // Forgetting the flow lets it be collected when its queue pair is gone.
        flow = null;
    }
}
