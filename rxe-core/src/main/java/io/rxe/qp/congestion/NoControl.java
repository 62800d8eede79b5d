package io.rxe.qp.congestion;

/**
 * The controller {@code none}: whatever happens, as much may be in flight as the configuration allows, and leaves at once. On a path that
 * is shorter than a busy host's delay, and before the first answer, that is what the buffers of the sockets hold: more would be lost
 * there. On a longer one it is the most bytes of any path.
 *
 * <p>Bytes as the peer send window counts them; times in nanoseconds. Owned by the engine thread.
 */
public final class NoControl implements CongestionControl {
    private final long bufferBytes;
    private final long mostBytes;
    private final PathMeter path = new PathMeter();
    private long windowBytes;

    /**
     * @param bufferBytes of the sockets at both ends.
     * @param mostBytes   window on a long path.
     */
    public NoControl(long bufferBytes, long mostBytes) {
        this.bufferBytes = bufferBytes;
        this.mostBytes = Math.max(bufferBytes, mostBytes);
        this.windowBytes = bufferBytes;
    }

    @Override
    public long windowBytes() {
        return windowBytes;
    }

    @Override
    public long bytesPerSecond() {
        return UNPACED;
    }

    /** Nothing is paced. */
    @Override
    public long batchNs() {
        return PathMeter.HOST_DELAY_NS;
    }

    @Override
    public long pathBytes() {
        return path.pathBytes();
    }

    @Override
    public long staleNs() {
        return path.staleNs();
    }

    @Override
    public void onFilled() {
        // It cannot grow.
    }

    @Override
    public void onSample(long sampleNs, long otherWayNs, long hostsNs, boolean isExact, long nowNs) {
        path.onSample(sampleNs, nowNs);
        windowBytes = path.isShort() ? bufferBytes : mostBytes;
    }

    @Override
    public void onArrived(long bytes, long nowNs) {
        path.onArrived(bytes, nowNs);
    }

    @Override
    public boolean onNotified(long nowNs) {
        return false;
    }

    @Override
    public void onLost(long packets, long bytes) {
        // Loss recovery retransmits them.
    }
}
