package io.rxe.qp.congestion;

/** How fast packets may leave. Owned by the engine thread. */
public interface SendRate {
    /** The rate of a path on which nothing is paced. */
    long UNPACED = Long.MAX_VALUE;

    /** Most bytes that leave in a second, at least 1; {@link #UNPACED} for as many as there are. */
    long bytesPerSecond();

    /** How long a batch of packets may take at that rate, in nanoseconds: what leaves without a pause. */
    long batchNs();
}
