package io.rxe.port;

import org.agrona.MutableDirectBuffer;

/**
 * Takes outgoing packets one at a time: claim room, write the packet, commit it.
 *
 * <p>The claim comes before any change of protocol state, so a sink that is full costs nothing but a later try: there is no
 * roll-back code anywhere. The sink seals the packet: {@link #commit} computes and appends the ICRC, because only the sink knows
 * the packet's place in its batch and so the IP identification it will carry. A claim that is not committed is void: the next claim
 * takes its place.
 *
 * <p>Owned by the thread that drives the engine.
 */
public interface PacketSink {
    /** Answer of {@link #claim} when the sink has no room now: try again on a later poll. */
    int FULL = -1;

    /**
     * Reserves room for one packet.
     *
     * @param flow        where it goes.
     * @param lengthBytes from the first byte of the BTH to the last byte of the ICRC; a multiple of four.
     * @return the offset of the BTH in {@link #buffer}, or {@link #FULL}.
     */
    int claim(Flow flow, int lengthBytes);

    /** The buffer to write into; may be another one after each claim. The last four bytes claimed belong to the sink. */
    MutableDirectBuffer buffer();

    /** Seals the claimed packet with its ICRC and queues it. */
    void commit();
}
