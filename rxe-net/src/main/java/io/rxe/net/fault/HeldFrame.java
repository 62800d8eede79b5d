package io.rxe.net.fault;

import io.rxe.port.Flow;
import io.rxe.wire.HeaderValidator;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A copy of a frame that is held until it is due. Reused; belongs to one {@link FaultLine}. */
final class HeldFrame implements Comparable<HeldFrame> {
    /** Direct memory, as the sockets need it. */
    final UnsafeBuffer bytes;
    int lengthBytes;
    Flow flow;
    long dueNs;
    /** Frames due at the same time leave in the order they arrived. */
    private long order;

    /** Has space for a frame of this length, and for any valid one. */
    HeldFrame(int lengthBytes) {
        bytes = new UnsafeBuffer(BufferUtil.allocateDirectAligned(Math.max(lengthBytes, HeaderValidator.MAX_LENGTH), 64));
    }

    void fill(DirectBuffer buffer, int offset, int length, Flow path) {
        bytes.putBytes(0, buffer, offset, length);
        lengthBytes = length;
        flow = path;
    }

    void hold(long untilNs, long number) {
        dueNs = untilNs;
        order = number;
    }

    @Override
    public int compareTo(HeldFrame other) {
        int byTime = Long.compare(dueNs, other.dueNs);
        return byTime != 0 ? byTime : Long.compare(order, other.order);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
