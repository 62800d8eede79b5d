package io.rxe.net;

import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import org.agrona.DirectBuffer;

/** The part of an engine that a loop drives; see {@code io.rxe.device.Engine}, whose contract this is. */
interface EngineCore {
    void onPacket(DirectBuffer buffer, int offset, int lengthBytes, Flow flow, long nowNs);

    /** Bounded work; the amount done, 0 when idle. */
    int poll(long nowNs, PacketSink sink);

    /** When to poll at the latest though nothing happens; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs();
}
