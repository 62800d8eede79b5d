package io.rxe.net;

/** What became of a send. */
public enum SendStatus {
    /** The kernel has it. */
    SENT,
    /** The socket buffer is full: nothing was sent, try again when the port reports that it is ready. */
    BUSY,
    /** The kernel or the device does not segment; nothing was sent, the frames may go out one by one. */
    SEGMENTATION_REFUSED,
    /** Failed for good; counted by its reason. */
    FAILED
}
