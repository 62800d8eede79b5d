package io.rxe.port;

import io.rxe.time.HostDelay;
import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/**
 * The part of an engine that its driver calls: the contract of the core. {@code io.rxe.device.Engine} is the one engine; drivers are tested
 * with stubs. Belongs to whoever drives the engine.
 */
public interface DrivenEngine {
    /**
     * Processes one received datagram.
     *
     * @param buffer holds the UDP payload; not used after this returns.
     * @param offset of the BTH.
     * @param length bytes of the UDP payload, including the ICRC.
     * @param flow   addresses of the datagram: its source is the peer.
     * @param nowNs  nanoseconds since any origin, not less than in any earlier call.
     */
    void onPacket(DirectBuffer buffer, int offset, int length, Flow flow, long nowNs);

    /** How long this host may have delayed packets: the owner of the thread sets it. */
    HostDelay hostDelay();

    /**
     * Sends what is due. The work of one call is bounded.
     *
     * @param nowNs nanoseconds since any origin, not less than in any earlier call.
     * @param sink  takes the packets.
     * @return packets sent and other work done; 0 = nothing to do until an input, a doorbell or {@link #nextDeadlineNs}.
     */
    int poll(long nowNs, PacketSink sink);

    /** When {@link #poll} must be called even if nothing arrives; {@link Long#MAX_VALUE} = never; a time in the past = now. */
    long nextDeadlineNs();

    /** When the first timer expires, or earlier; {@link Long#MAX_VALUE} = none. Work that is due at once does not count. */
    long nextTimerNs();

    /** Packets to a destination are lost because of this host. Within or between calls of {@link #poll}. */
    void onSendFailed(Gid destination, String why);

    /**
     * Fails the device, because its surroundings can no longer drive this engine or it threw something that no queue pair caused: all
     * queue pairs go to ERROR, what is outstanding is flushed, and DEVICE_FATAL is raised. Never throws.
     */
    void fail(Throwable cause);
}
