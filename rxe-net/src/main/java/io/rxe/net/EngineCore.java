package io.rxe.net;

import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/** The part of an engine that a loop drives, with the contract of {@code io.rxe.device.Engine}. */
interface EngineCore {
    void onPacket(DirectBuffer buffer, int offset, int lengthBytes, Flow flow, long nowNs);

    /** Does a bounded amount of work, and returns the amount done; 0 when idle. */
    int poll(long nowNs, PacketSink sink);

    /** When to poll at the latest, even if nothing arrives; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs();

    /**
     * When the first timer expires, or earlier; {@link Long#MAX_VALUE} for none. Unlike {@link #nextDeadlineNs} also while there is other
     * work.
     */
    default long nextTimerNs() {
        return nextDeadlineNs();
    }

    /** Frames to a destination were not sent, because of this host, and sends will fail again. Within or between calls of poll. */
    default void onSendFailed(Gid destination, String why) {
        // Only connection management gives something up.
    }

    /** Puts every queue pair in ERROR, flushes everything outstanding and raises DEVICE_FATAL: the engine or its loop cannot go on. */
    void fail(Throwable cause);
}
