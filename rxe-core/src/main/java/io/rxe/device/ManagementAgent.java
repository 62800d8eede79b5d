package io.rxe.device;

import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/**
 * What lives on queue pair 1, the general services interface: takes management datagrams and sends its own. Connection management
 * implements it. Driven by engine 0 with the same contract as a core: inputs, an output, a deadline.
 */
public interface ManagementAgent {
    /** Bytes of a management datagram. */
    int MAD_LENGTH = 256;

    /** Takes room for outgoing datagrams, one at a time. */
    @FunctionalInterface
    interface MadSink {
        /**
         * Sends a datagram to queue pair 1 of a port.
         *
         * @param mad    copied, {@link #MAD_LENGTH} bytes from {@code offset} on.
         * @return false when there is no room now: try again on a later poll.
         */
        boolean send(Gid destination, DirectBuffer mad, int offset);
    }

    /** Takes a datagram that was checked as far as its ICRC; consumed before it returns. */
    void onMad(Gid source, DirectBuffer mad, int offset, long nowNs);

    /** Sends what is due; answers how much was done. */
    int poll(long nowNs, MadSink sink);

    /** When {@link #poll} has to be called even if nothing comes, or {@link Long#MAX_VALUE}. */
    long nextDeadlineNs();
}
