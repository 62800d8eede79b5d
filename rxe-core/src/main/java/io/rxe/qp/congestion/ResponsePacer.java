package io.rxe.qp.congestion;

/**
 * Spaces the READ responses of a queue pair at the rate that their requester told (rule G9): it alone sees how long they wait in queues,
 * and which are lost. What a request brings would leave in one burst else, longer than a small queue.
 *
 * <p>Owned by the engine thread.
 */
public final class ResponsePacer implements SendRate {
    /** The shortest batch of any path: this side does not know how long it is. */
    private static final long BATCH_NS = 100_000;

    /** A busy processor lets threads wait for milliseconds. The window of the requester bounds what leaves then. */
    private static final long LATE_NS = 2_000_000;

    private final Pacer pacer = new Pacer(this, LATE_NS);
    private long bytesPerSecond = UNPACED;

    /**
     * Whether another response may leave now.
     *
     * @param toldBytesPerSecond of payload, by its request; {@link #UNPACED} if it did not say.
     */
    public boolean isOpen(long toldBytesPerSecond, long nowNs) {
        bytesPerSecond = toldBytesPerSecond;
        return pacer.isOpen(0, nowNs);
    }

    /** When the next batch may leave, as far as {@link #isOpen} said that none may now. */
    public long opensNs() {
        return pacer.opensNs();
    }

    /** A response left. */
    public void onSent(long payloadBytes, long nowNs) {
        pacer.onSent(payloadBytes, nowNs);
    }

    @Override
    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    @Override
    public long batchNs() {
        return BATCH_NS;
    }
}
