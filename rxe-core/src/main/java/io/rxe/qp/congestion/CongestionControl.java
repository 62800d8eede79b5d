package io.rxe.qp.congestion;

import io.rxe.verbs.CongestionOptions;

/**
 * Decides how many bytes all queue pairs of an engine may have in flight to one peer, and how fast they leave. It learns what arrived, what
 * was lost, how long it took, and what was marked.
 *
 * <p>Bytes with what a packet takes beside its payload; times in nanoseconds. Owned by the engine thread.
 */
public interface CongestionControl extends SendRate {
    /**
     * Makes a controller.
     *
     * @param options     which one.
     * @param bufferBytes of the sockets at both ends: what may be in flight although the path holds nothing.
     * @param mostBytes   largest window on any path.
     * @param packetBytes a full packet.
     */
    static CongestionControl of(CongestionOptions options, long bufferBytes, long mostBytes, int packetBytes) {
        return switch (options.controller()) {
            case DELAY -> new DelayControl(bufferBytes, mostBytes, packetBytes);
            case DCQCN -> new DcqcnControl(bufferBytes, mostBytes, options);
            case NONE -> new NoControl(bufferBytes, mostBytes);
        };
    }

    /** Most bytes in flight, at least 1. */
    long windowBytes();

    /** Most bytes of READ responses that the peer sends in a second, at least 1, or {@link #UNPACED}. */
    default long responseBytesPerSecond() {
        return bytesPerSecond();
    }

    /** Bytes that the path itself holds, beyond what waits in queues, as far as it was measured. */
    long pathBytes();

    /** After this long without an acknowledgement, what is in flight may be taken for lost. */
    long staleNs();

    /** A queue pair had to wait for room in the window. */
    void onFilled();

    /**
     * A round trip was measured.
     *
     * @param otherWayNs the part of it that the answer waited on its way here.
     * @param hostsNs    the part of it that the hosts at both ends may have caused.
     * @param isExact    whether the peer answered at once: else it may have waited for what was sent before.
     */
    void onSample(long sampleNs, long otherWayNs, long hostsNs, boolean isExact, long nowNs);

    /**
     * A round trip was measured by a response to a READ. It waits at the peer for those before it, too, and for the rate it was told.
     *
     * @param otherWayNs the part of it that its request waited on its way there.
     * @param waitedNs   the part of it that the host of the peer told.
     * @param hostNs     the part of it that this host may have caused.
     * @param isExact    as in {@link #onSample}.
     */
    default void onReadSample(long sampleNs, long otherWayNs, long waitedNs, long hostNs, boolean isExact, long nowNs) {
        onSample(sampleNs, otherWayNs, waitedNs + hostNs, isExact, nowNs);
    }

    /** Bytes arrived at the peer, or responses from it. */
    void onArrived(long bytes, long nowNs);

    /** Bytes were sent or retransmitted, or responses requested. */
    default void onSent(long bytes, long nowNs) {
        // Most controllers learn enough from what arrives.
    }

    /** A CNP arrived: the peer says that routers marked packets. Returns whether that changed anything. */
    boolean onNotified(long nowNs);

    /** Packets were lost. */
    void onLost(long packets, long bytes);
}
