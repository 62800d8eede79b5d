package io.rxe.net.observe;

import io.rxe.wire.DropReason;

/**
 * Whether the engine dropped the frame that a capture is recording, and why. The engine reports drops to its observer, not to its
 * caller; this carries the reason from the one to the other.
 *
 * <pre>
 *   tap: begin() -> ... -> engine.onPacket -> drop: observer -> onDrop(reason) ... -> tap: end()
 * </pre>
 *
 * <p>Belongs to the owner of one engine.
 */
public final class FrameVerdict {
    private boolean inFrame;
    private boolean delivered;
    private DropReason reason = DropReason.NONE;

    /** The capture received a frame and passes it on. */
    void begin() {
        inFrame = true;
        delivered = false;
        reason = DropReason.NONE;
    }

    /** The frame reaches this NIC's engine. */
    public void onDelivered() {
        delivered = true;
    }

    /** The engine dropped it. */
    void onDrop(DropReason why) {
        reason = why;
    }

    /** Whether a frame is between the tap and the engine. */
    boolean isInFrame() {
        return inFrame;
    }

    /** The frame has been handled. Returns a comment for the capture, or null when the frame was accepted. */
    String end() {
        inFrame = false;
        if (reason != DropReason.NONE) {
            return "dropped: " + reason.label() + ": " + reason.sentence();
        }
        return delivered ? null : "not delivered to this engine: another engine owns it, or a fault was applied to it";
    }
}
