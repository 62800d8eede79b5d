package io.rxe.net.port;

/** The result of a send. */
public enum SendStatus {
    /** The kernel accepted it. */
    SENT,
    /** The socket buffer is full. Nothing was sent; try again when the port reports that it is ready. */
    BUSY,
    /** The kernel or the device does not segment. Nothing was sent; send the frames one by one. */
    SEGMENTATION_REFUSED,
    /** The send failed and is not worth repeating; counted by its reason. */
    FAILED,
    /** As FAILED, and sends to this destination will fail until an administrator changes a route. */
    NO_ROUTE,
    /** As FAILED, and sends to this destination will fail until an administrator changes a rule. */
    NOT_PERMITTED,
    /** As FAILED, and sends from this address to this destination will fail always. */
    INVALID
}
