package io.rxe.tools.flow;

/**
 * A packet and its class.
 *
 * @param toRight   whether it travels from left to right.
 * @param note      a remark, or empty.
 * @param silenceNs time since the previous packet if a request was outstanding; else 0.
 * @param track     the requests that it belongs to, as they are now; null for what has no PSN of use.
 */
public record ClassifiedPacket(FlowPacket packet, boolean toRight, PacketClass packetClass, String note, long silenceNs,
                               RequestTrack track) {
}
