package io.rxe.net.port;

import io.rxe.port.Flow;
import org.agrona.DirectBuffer;

/** Receives frames one at a time, by the owner of the engine. */
@FunctionalInterface
public interface FrameReceiver {
    /**
     * Handles one received frame.
     *
     * @param buffer      holds it, valid until this method returns.
     * @param offset      of the BTH.
     * @param lengthBytes from BTH to ICRC, not yet validated; may be anything from 0 to 65507.
     * @param flow        source: the peer; destination: this port.
     */
    void onFrame(DirectBuffer buffer, int offset, int lengthBytes, Flow flow);
}
