package io.rxe.port;

import org.agrona.MutableDirectBuffer;

/**
 * Takes outgoing packets one at a time: claim room, write the packet, commit it.
 *
 * <p>Callers claim before they change protocol state, so when the sink is full there is nothing to roll back; they try again on a
 * later poll. {@link #commit} computes and appends the ICRC, because only the sink knows the packet's position in its batch, and so
 * its IP identification. A claim that is not committed is void: the next claim replaces it.
 *
 * <p>Owned by the thread that drives the engine.
 */
public interface PacketSink {
    /** Returned by {@link #claim} when the sink is full: try again on a later poll. */
    int FULL = -1;

    /**
     * Reserves room for one packet.
     *
     * @param flow        addresses and ports of the packet.
     * @param lengthBytes from the first byte of the BTH to the last byte of the ICRC; a multiple of four.
     * @return the offset of the BTH in {@link #buffer}, or {@link #FULL}.
     */
    int claim(Flow flow, int lengthBytes);

    /** The buffer to write into; it may change with each claim. The last four bytes claimed belong to the sink. */
    MutableDirectBuffer buffer();

    /** Appends the ICRC to the claimed packet and queues it. */
    void commit();

    /** As {@link #commit}, with the ICRC of {@link io.rxe.wire.Icrc#coverTwice}. A sink without ICRCs need not distinguish them. */
    default void commitCoveredTwice() {
        commit();
    }
}
