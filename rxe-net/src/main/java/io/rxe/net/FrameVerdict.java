package io.rxe.net;

import io.rxe.wire.DropReason;

/**
 * What became of the frame that a capture just saw come in. The engine does not say so to its caller; its observer hears of drops, and
 * this is where the two meet.
 *
 * <pre>
 *   tap: begin() -> ... -> engine.onPacket -> drop: observer -> dropped(reason) ... -> tap: comment()
 * </pre>
 *
 * <p>Belongs to one loop thread.
 */
final class FrameVerdict {
    private boolean inFrame;
    private boolean handedOver;
    private DropReason reason = DropReason.NONE;

    /** A frame came in. */
    void begin() {
        inFrame = true;
        handedOver = false;
        reason = DropReason.NONE;
    }

    /** The engine gets it. */
    void handedOver() {
        handedOver = true;
    }

    /** The engine dropped it. */
    void dropped(DropReason why) {
        reason = why;
    }

    /** Whether a frame is on its way between the tap and the engine. */
    boolean isInFrame() {
        return inFrame;
    }

    /** The frame is through: what there is to remark on it, or null when it was accepted. */
    String end() {
        inFrame = false;
        if (reason != DropReason.NONE) {
            return "dropped: " + reason.label() + ": " + reason.sentence();
        }
        return handedOver ? null : "not handed to this engine: it belongs to another one, or a fault was made of it";
    }
}
