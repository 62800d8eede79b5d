package io.rxe.capture;

/**
 * One captured frame.
 *
 * @param timestampNs time of capture in ns since 1970; 0 when the file has none.
 * @param linkType see {@link LinkType}.
 * @param bytes the captured bytes; fewer than originalLength when the capture cut frames off.
 * @param originalLength bytes the frame had on the wire.
 * @param direction which way it went.
 * @param comment a remark stored with the frame, or null.
 */
public record CaptureRecord(long timestampNs, int linkType, byte[] bytes, int originalLength, Direction direction,
    String comment) {
}
