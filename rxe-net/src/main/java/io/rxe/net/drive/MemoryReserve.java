package io.rxe.net.drive;

/**
 * Heap that is given up when the heap is used up, so that there is memory to say so, to flush and to wake who waits. Any other thread may
 * take it first; so whatever needs it is repeated until it succeeds. Any thread.
 */
final class MemoryReserve {
    private static final int BYTES = 128 << 10;

    private volatile byte[] bytes = new byte[BYTES];

    /** Gives it up. */
    void release() {
        bytes = null;
    }

    /** Takes it back when there is memory again. */
    void refill() {
        try {
            if (bytes == null) {
                bytes = new byte[BYTES];
            }
        } catch (OutOfMemoryError e) {
            // Not yet.
            return;
        }
    }
}
