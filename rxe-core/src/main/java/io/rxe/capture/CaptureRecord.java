package io.rxe.capture;

/**
 * One captured frame.
 *
 * @param timestampNs time of capture in ns since 1970; 0 when the file has none.
 * @param linkType see {@link LinkType}.
 * @param bytes the captured bytes; fewer than originalLength when the capture truncated the frame.
 * @param originalLength bytes of the frame on the wire.
 * @param direction received or sent.
 * @param comment a comment stored with the frame, or null.
 * @param udpPort UDP port of RoCEv2 that the capture names for the interface of the frame, or 0; see {@link CaptureWriter}.
 */
public record CaptureRecord(long timestampNs, int linkType, byte[] bytes, int originalLength, Direction direction,
    String comment, int udpPort) {
}
