package io.rxe.net.socket;

import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.port.Flow;
import org.agrona.DirectBuffer;

/**
 * Cuts received datagrams into frames and delivers them, with a rule for the latency of single datagrams.
 *
 * <p>The rule: a small datagram after an idle period is usually a request that someone is waiting on. It is handled before the next
 * receive call, which costs half as much as the reply. When the datagram holds two frames, the second is usually an acknowledgement;
 * it is held back until the request has been answered, that is until the next receive.
 *
 * <p>Belongs to the owner of the engine. Allocates nothing.
 */
final class FrameDelivery {
    /** A single datagram is shorter than this; a burst is not. */
    private static final int SINGLE_BYTES = 1024;

    private final DirectBuffer received;
    private final NetCounters counters;
    private final boolean coalescing;
    private final FlowTable flows;
    private final GroSplitter splitter = new GroSplitter();
    private FrameReceiver receiver;
    /** Whether the last receive found nothing. */
    private boolean wasIdle;
    /** Of the frame that is held back in the buffer, or null. */
    private Flow heldFlow;
    private int heldOffset;
    private int heldBytes;

    /**
     * @param received   where datagrams are received to, each at offset 0.
     * @param flows      verifies the senders.
     * @param coalescing whether a datagram may hold several frames.
     */
    FrameDelivery(DirectBuffer received, boolean coalescing, FlowTable flows, NetCounters counters) {
        this.received = received;
        this.flows = flows;
        this.coalescing = coalescing;
        this.counters = counters;
    }

    /** Sets where frames go; before the first receive. */
    void start(FrameReceiver frameReceiver) {
        receiver = frameReceiver;
    }

    boolean isCoalescing() {
        return coalescing;
    }

    /** Notes whether a receive found nothing. */
    void onReceived(int datagrams) {
        wasIdle = datagrams == 0;
    }

    /** Ends the idle period: what follows is not single. */
    void endIdle() {
        wasIdle = false;
    }

    /** Whether so few bytes after an idle period are a single datagram, to be handled before more is received. */
    boolean isSingle(int bytes) {
        return wasIdle && bytes < SINGLE_BYTES;
    }

    /** Whether a frame is held back: the buffer must not be received to. */
    boolean isHolding() {
        return heldFlow != null;
    }

    /** Delivers the frame that is held back; returns how many frames, 0 or 1. */
    int deliverHeld() {
        if (heldFlow == null) {
            return 0;
        }
        Flow flow = heldFlow;
        heldFlow = null;
        receiver.onFrame(received, heldOffset, heldBytes, flow);
        return 1;
    }

    /**
     * Delivers the frames of the datagram in the buffer; holds back the second of two if the datagram is a single one.
     *
     * @param flow      from the sender to us, with the traffic class of the datagram.
     * @param isSampled whether to check the ICRC of the first frame.
     * @return false if it was checked and is wrong.
     */
    boolean deliver(int lengthBytes, Peer sender, Flow flow, boolean isSingle, boolean isSampled) {
        counters.count(NetCounter.RECEIVE_CALLS);
        int segment = coalescing ? splitter.segmentBytes(received, 0, lengthBytes, sender) : lengthBytes;
        flows.onFrame(received, 0, segment, sender);
        boolean isGood = !isSampled || flows.isGood(received, 0, segment, sender);
        if (segment >= lengthBytes) {
            counters.count(NetCounter.RECEIVED_FRAMES);
            if (lengthBytes > GroSplitter.MAX_FRAME) {
                counters.count(NetCounter.UNCUT_DATAGRAMS);
            }
            receiver.onFrame(received, 0, lengthBytes, flow);
        } else {
            deliverBatch(lengthBytes, segment, flow, isSingle);
        }
        counters.count(NetCounter.RECEIVED_BYTES, lengthBytes);
        return isGood;
    }

    private void deliverBatch(int lengthBytes, int segment, Flow flow, boolean isSingle) {
        counters.count(NetCounter.RECEIVED_BATCHES);
        int frames = (lengthBytes + segment - 1) / segment;
        counters.count(NetCounter.RECEIVED_FRAMES, frames);
        counters.mark(NetCounter.LARGEST_RECEIVED_BATCH, frames);
        if (isSingle && frames == 2) {
            receiver.onFrame(received, 0, segment, flow);
            heldFlow = flow;
            heldOffset = segment;
            heldBytes = lengthBytes - segment;
            return;
        }
        for (int offset = 0; offset < lengthBytes; offset += segment) {
            receiver.onFrame(received, offset, Math.min(segment, lengthBytes - offset), flow);
        }
    }
}
