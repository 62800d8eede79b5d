package io.rxe.cm;

import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/** Takes MADs to send: queue pair 1, or a simulated network. Called on the thread that polls the core. */
@FunctionalInterface
public interface MadTransport {
    /**
     * Sends a MAD from queue pair 1 to queue pair 1 of a peer: UD SEND_ONLY, Q_Key 0x80010000, partition 0xFFFF.
     *
     * @param destination the peer.
     * @param mad         256 bytes from offset; copied before this returns.
     * @return false when there is no room now: the same MAD is offered again at a later poll.
     */
    boolean send(Gid destination, DirectBuffer mad, int offset);
}
