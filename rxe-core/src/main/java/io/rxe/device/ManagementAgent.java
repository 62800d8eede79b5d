package io.rxe.device;

import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/**
 * Handles the management datagrams of queue pair 1, the general services interface; connection management implements it. Engine 0 drives
 * it on its thread, with the contract of an engine: inputs, an output, a deadline.
 */
public interface ManagementAgent {
    /** Bytes of a management datagram. */
    int MAD_LENGTH = 256;

    /** Sends management datagrams. */
    @FunctionalInterface
    interface MadSink {
        /**
         * Sends a datagram to queue pair 1 of a port.
         *
         * @param partitionKeyIndex of the P_Key that the packet carries, in the table of the NIC.
         * @param mad               {@link #MAD_LENGTH} bytes from {@code offset} on; copied.
         * @return false when the packet sink is full: try again on a later poll.
         */
        boolean send(Gid destination, int partitionKeyIndex, DirectBuffer mad, int offset);
    }

    /**
     * A datagram arrived and passed all checks, including the ICRC. The buffer is not valid after this returns.
     *
     * @param partitionKeyIndex of the P_Key in the table of the NIC that matches the packet's: an answer is to carry it.
     */
    void onMad(Gid source, int partitionKeyIndex, DirectBuffer mad, int offset, long nowNs);

    /**
     * Datagrams to a port could not be sent, because of this host: they are lost, and repeating them soon is of no use. May be called
     * within {@link #poll}.
     *
     * @param why what is wrong and what to do, in a sentence.
     */
    void onSendFailed(Gid destination, String why);

    /** Sends what is due; returns the number of datagrams and timers handled, 0 for none. */
    int poll(long nowNs, MadSink sink);

    /** When {@link #poll} must be called even if nothing arrives; {@link Long#MAX_VALUE} = never. */
    long nextDeadlineNs();
}
