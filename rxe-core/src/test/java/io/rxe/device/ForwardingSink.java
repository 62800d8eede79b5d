package io.rxe.device;

import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import org.agrona.MutableDirectBuffer;

/** A sink in front of another; tests override what they change. */
abstract class ForwardingSink implements PacketSink {
    private final PacketSink next;

    ForwardingSink(PacketSink next) {
        this.next = next;
    }

    @Override
    public int claim(Flow flow, int lengthBytes) {
        return next.claim(flow, lengthBytes);
    }

    @Override
    public MutableDirectBuffer buffer() {
        return next.buffer();
    }

    @Override
    public void commit() {
        next.commit();
    }
}
