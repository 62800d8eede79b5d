package io.rxe.net.socket;

import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Icrc;
import java.util.function.BiConsumer;
import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Collects frames of one flow, one traffic class and one length back to back and sends them as one batch.
 *
 * <pre>
 *   claim 4116   claim 4116   claim 2068 (shorter: closes the batch)
 *   +------------+------------+------+
 *   | ID 0       | ID 1       | ID 2 |   one UDP_SEGMENT send of 10300 bytes, segment 4116
 *   +------------+------------+------+
 * </pre>
 *
 * <p>A frame's place in the batch is the IPv4 identification that the kernel will give it, so its ICRC is computed at once. Where the
 * kernel or device refuses to segment, the ICRCs are computed again for identification 0 and the batch leaves frame by frame, like
 * every later one.
 *
 * <p>When the socket is full the batch stays and {@link #claim} returns FULL until {@link #flush} has sent it. Belongs to the loop
 * thread. Allocates nothing.
 */
public final class EpollPacketSink implements PacketSink {
    /** Segments of one send that every kernel takes. */
    static final int MAX_SEGMENTS = 64;
    /** Longest UDP payload over IPv4. */
    static final int MAX_BATCH_BYTES = 65507;

    private final UdpPort port;
    private final NetCounters counters;
    private final Warnings warnings;
    private final Icrc icrc = new Icrc();
    private final UnsafeBuffer buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(1 << 16, 64));
    private BiConsumer<Flow, SendStatus> onFailedSend = (lost, status) -> { };
    private boolean segmenting;
    private Flow flow;
    private int segmentBytes;
    private int frames;
    private int batchBytes;
    private int claimedBytes;
    /** Bytes of the batch already sent, when it leaves frame by frame. */
    private int sentBytes;
    private boolean closed;
    private boolean blocked;
    /** Whether the kernel refused to segment this batch, which then leaves frame by frame. */
    private boolean refused;

    public EpollPacketSink(UdpPort port, NetCounters counters, Warnings warnings) {
        this.port = port;
        this.counters = counters;
        this.warnings = warnings;
        this.segmenting = port.canSegment();
    }

    /** Sets what is notified of sends that this host makes fail; it must not use the sink. */
    public void onFailedSend(BiConsumer<Flow, SendStatus> listener) {
        onFailedSend = listener;
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
            && (wanted == flow || wanted.trafficClass() == flow.trafficClass() && wanted.equals(flow));
    }

    @Override
    public MutableDirectBuffer buffer() {
        return buffer;
    }

    @Override
    public void commit() {
        commit(false);
    }

    @Override
    public void commitCoveredTwice() {
        commit(true);
    }

    private void commit(boolean coveredTwice) {
        assert claimedBytes > 0 : "commit without claim";
        seal(batchBytes, claimedBytes, segmenting ? frames : 0, coveredTwice);
        closed = claimedBytes < segmentBytes;
        batchBytes += claimedBytes;
        claimedBytes = 0;
        frames++;
    }

    private void seal(int offset, int lengthBytes, int identification, boolean coveredTwice) {
        int covered = lengthBytes - Icrc.LENGTH;
        int value = icrc.compute(buffer, offset, covered, flow.icrcSeed(), flow.isIpv4(), identification);
        Icrc.write(buffer, offset + covered, coveredTwice ? icrc.coverTwice(buffer, offset, covered, value) : value);
    }

    /**
     * Sends the committed frames.
     *
     * @return whether nothing is left; false when the socket is full, in which case the port reports when it is ready.
     */
    public boolean flush() {
        if (frames == 0) {
            return true;
        }
        boolean done = segmenting && !refused ? sendBatch() : sendOneByOne();
        blocked = !done;
        return done;
    }

    /** Whether there is a batch to which another frame of its length can be added. */
    public boolean isOpen() {
        return frames > 0 && !blocked && joins(flow, segmentBytes);
    }

    /** Whether frames wait for room in the socket. */
    public boolean isBlocked() {
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
        for (int index = 1; index * segmentBytes < batchBytes; index++) {
            int offset = index * segmentBytes;
            int covered = Math.min(segmentBytes, batchBytes - offset) - Icrc.LENGTH;
            int before = icrc.compute(buffer, offset, covered, flow.icrcSeed(), flow.isIpv4(), index);
            seal(offset, covered + Icrc.LENGTH, 0, Icrc.read(buffer, offset + covered) != before);
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

    /** After one frame was sent: the refusal was about segmentation, not about a frame that no send can carry. */
    private void stopSegmenting() {
        segmenting = false;
        warnings.once("segmentation", "the kernel or the device refuses to segment UDP (UDP_SEGMENT): frames leave one by one"
            + " from now on, which is slower; --gso off avoids the attempt");
    }

    private void account(SendStatus status, int count, int bytes) {
        if (status == SendStatus.SENT) {
            counters.count(NetCounter.SENT_FRAMES, count);
            counters.count(NetCounter.SENT_BYTES, bytes);
        } else {
            counters.count(NetCounter.DROPPED_FRAMES, count);
            onFailedSend.accept(flow, status);
        }
    }

    private void reset() {
        frames = 0;
        batchBytes = 0;
        sentBytes = 0;
        closed = false;
        refused = false;
        // Not kept: the flow can be collected when its queue pair is closed.
        flow = null;
    }
}
