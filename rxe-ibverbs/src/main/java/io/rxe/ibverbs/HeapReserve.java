package io.rxe.ibverbs;

/**
 * Heap kept for the verbs that free something: where the heap is used up, a program can still destroy what it made. A verb that makes
 * something needs the whole reserve to be there, and fails with ENOMEM otherwise. Any thread.
 */
final class HeapReserve {
    private static final int BYTES = 1 << 20;

    private static volatile byte[] bytes = new byte[BYTES];

    private HeapReserve() {
    }

    /** Gives it up, for a verb that frees something. */
    static void release() {
        bytes = null;
    }

    /**
     * Takes it back if it was given up.
     *
     * @throws OutOfMemoryError while there is not enough memory.
     */
    static void refill() {
        if (bytes == null) {
            bytes = new byte[BYTES];
        }
    }
}
