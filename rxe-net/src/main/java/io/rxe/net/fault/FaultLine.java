package io.rxe.net.fault;

import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.port.Flow;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;

/**
 * The faults of one direction of one socket.
 *
 * <pre>
 *   frame -> lost? duplicated? -> corrupted? -> at once ----------------> exit
 *                                            -> copy, held until due ---> exit (release)
 * </pre>
 *
 * <p>In netem's order: a packet both lost and duplicated arrives once; the duplicate may be lost, corrupted and delayed by itself. A
 * frame without a fault is not copied. Belongs to the owner of one engine.
 */
final class FaultLine {
    /** Takes the frames that are not lost. */
    @FunctionalInterface
    interface Exit {
        /** Takes a frame, or returns BUSY; then it is offered again. */
        SendStatus take(Flow flow, DirectBuffer buffer, int offset, int lengthBytes);
    }

    private static final int ETHERNET_BYTES = 14;
    private static final int IPV4_UDP_BYTES = 28;
    private static final int IPV6_UDP_BYTES = 48;
    private static final double NS_PER_SECOND = 1e9;

    private final FaultSpec spec;
    private final NetCounters counters;
    private final Exit exit;
    private final SplittableRandom random;
    private final LossChance loss;
    private final Chance duplicate;
    private final Chance corrupt;
    private final Chance reorder;
    private final Chance jitter;
    private final PriorityQueue<HeldFrame> held = new PriorityQueue<>();
    private final ArrayDeque<HeldFrame> free = new ArrayDeque<>();
    private long order;
    /** Frames delayed since the last one that left at once. */
    private long sinceReordered;
    /** When the last bit of the frames accepted so far has left, under a rate. */
    private long lineFreeNs = Long.MIN_VALUE;
    /** Whether the exit was busy: further frames queue behind the one it refused. */
    private boolean blocked;

    FaultLine(FaultSpec spec, NetCounters counters, SplittableRandom random, Exit exit) {
        this.spec = spec;
        this.counters = counters;
        this.exit = exit;
        this.random = random;
        this.loss = new LossChance(spec, random.split());
        this.duplicate = new Chance(spec.duplicate(), random.split());
        this.corrupt = new Chance(spec.corrupt(), random.split());
        this.reorder = new Chance(spec.reorder(), random.split());
        this.jitter = new Chance(new Probability(1, spec.jitterCorrelation()), random.split());
    }

    /**
     * Accepts a frame.
     *
     * @return the result for its sender: FAILED only if the exit failed at once, never BUSY.
     */
    SendStatus pass(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, long nowNs) {
        boolean duplicated = duplicate.happens();
        boolean lost = loss.happens();
        if (lost) {
            counters.count(NetCounter.FAULT_LOST);
        }
        if (duplicated) {
            counters.count(NetCounter.FAULT_DUPLICATED);
            if (!lost) {
                passCopy(flow, buffer, offset, lengthBytes, nowNs);
            }
        }
        return lost && !duplicated ? SendStatus.SENT : onward(flow, buffer, offset, lengthBytes, nowNs);
    }

    private void passCopy(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, long nowNs) {
        if (loss.happens()) {
            counters.count(NetCounter.FAULT_LOST);
        } else {
            onward(flow, buffer, offset, lengthBytes, nowNs);
        }
    }

    private SendStatus onward(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, long nowNs) {
        boolean corrupted = corrupt.happens() && lengthBytes > 0;
        long freeBeforeNs = lineFreeNs;
        long dueNs = dueNs(flow, lengthBytes, nowNs);
        if (dueNs <= nowNs && !corrupted && !blocked) {
            SendStatus status = exit.take(flow, buffer, offset, lengthBytes);
            if (status != SendStatus.BUSY) {
                return status;
            }
            blocked = true;
        }
        if (held.size() >= spec.limit()) {
            // What does not enter the queue takes no time of the line.
            lineFreeNs = freeBeforeNs;
            counters.count(NetCounter.FAULT_OVERFLOW);
            return SendStatus.SENT;
        }
        HeldFrame frame = copy(flow, buffer, offset, lengthBytes);
        if (corrupted) {
            flipBit(frame);
        }
        if (dueNs > nowNs) {
            counters.count(NetCounter.FAULT_DELAYED);
        }
        frame.hold(dueNs, order++);
        held.add(frame);
        if (dueNs <= nowNs) {
            release(nowNs);
        }
        return SendStatus.SENT;
    }

    /** When a frame may leave; also draws whether it overtakes the others. */
    private long dueNs(Flow flow, int lengthBytes, long nowNs) {
        if (sinceReordered >= spec.gap() - 1 && reorder.happens()) {
            sinceReordered = 0;
            counters.count(NetCounter.FAULT_REORDERED);
            return nowNs;
        }
        sinceReordered++;
        long dueNs = nowNs + spec.delayNs();
        if (spec.jitterNs() > 0) {
            dueNs = Math.max(nowNs, dueNs + (long) ((2 * jitter.draw() - 1) * spec.jitterNs()));
        }
        if (spec.rateBitsPerSecond() > 0) {
            int wireBytes = ETHERNET_BYTES + (flow.isIpv4() ? IPV4_UDP_BYTES : IPV6_UDP_BYTES) + lengthBytes;
            dueNs = Math.max(dueNs, lineFreeNs) + (long) (NS_PER_SECOND * 8 * wireBytes / spec.rateBitsPerSecond());
            lineFreeNs = dueNs;
        }
        return dueNs;
    }

    private HeldFrame copy(Flow flow, DirectBuffer buffer, int offset, int lengthBytes) {
        HeldFrame frame = free.poll();
        if (frame == null || frame.bytes.capacity() < lengthBytes) {
            frame = new HeldFrame(lengthBytes);
        }
        frame.fill(buffer, offset, lengthBytes, flow);
        return frame;
    }

    private void flipBit(HeldFrame frame) {
        int bit = random.nextInt(8 * frame.lengthBytes);
        frame.bytes.putByte(bit >> 3, (byte) (frame.bytes.getByte(bit >> 3) ^ 1 << (bit & 7)));
        counters.count(NetCounter.FAULT_CORRUPTED);
    }

    /**
     * Passes on the frames that are due.
     *
     * @return frames passed on.
     */
    int release(long nowNs) {
        int released = 0;
        blocked = false;
        for (HeldFrame frame = held.peek(); frame != null && frame.dueNs <= nowNs; frame = held.peek()) {
            SendStatus status = exit.take(frame.flow, frame.bytes, 0, frame.lengthBytes);
            if (status == SendStatus.BUSY) {
                blocked = true;
                return released;
            }
            if (status != SendStatus.SENT) {
                counters.count(NetCounter.DROPPED_FRAMES);
            }
            released++;
            held.remove();
            frame.flow = null;
            free.push(frame);
        }
        return released;
    }

    /** When {@link #release} has something to do; after BUSY the exit reports when it is ready. */
    long nextDeadlineNs() {
        return blocked || held.isEmpty() ? Long.MAX_VALUE : held.peek().dueNs;
    }
}
