package io.rxe.qp.congestion;

import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.DcqcnParameter;

/**
 * The controller {@code dcqcn}: the reaction point of DCQCN. Nothing is paced until the first CNP; then packets leave at a rate:
 *
 * <pre>
 *   a CNP         target = rate, if it was increased since the last cut;  rate = rate (1 - alpha / 2), at least half
 *   each 1 us     alpha = g alpha + (1 - g) if there was a CNP, else g alpha;  g = 1019 / 1024
 *   each 300 us without a cut, and each 2 MB:                             rate = (target + rate) / 2, before which
 *       fast recovery      until one of the two came rpg_threshold times  target stays
 *       additive increase  else                                           target = target + 5 Mbit/s
 *       hyper increase     when both came more often                      target = target + 50 Mbit/s
 * </pre>
 *
 * <p>The figures are those of the usual {@link DcqcnParameter}s. Increases that are due are made up for when something is sent or arrives.
 *
 * <p>Adapters know the rate of their line, from which the first cut is made, and at which nothing is paced any more. Here the fastest
 * arrival so far stands for it; a first CNP that comes before any was measured waits for that. Twice that rate ends the pacing, or
 * rpg_max_rate.
 *
 * <p>DCQCN is made for networks that lose nothing, and UDP is none. Few losses count nothing, since a loss costs one packet when the
 * receiver keeps the others. When more than an eighth of what arrives is lost, on a short path a fiftieth, a queue overflows: that counts
 * as a CNP, once in a round trip, and if queue pairs had to wait for room, both rates fall to what arrives.
 *
 * <p>The window is what the buffers of the sockets hold, and on a path that is not short beside it what is in flight at the rate, or at
 * twice the fastest arrival while nothing is paced. Over a long path the usual increases are large: 5 Mbit/s each 300 us are a third of a
 * line of 1 Gbit/s in a round trip of 20 ms. The controller {@code delay} is for those.
 *
 * <p>Bytes as the peer send window counts them; times in nanoseconds. Owned by the engine thread. Sources: Zhu et al., "Congestion Control
 * for Large-Scale RDMA Deployments", SIGCOMM 2015, section 5; NVIDIA, "DCQCN CC Parameters".
 */
public final class DcqcnControl implements CongestionControl {
    private static final double FIXED_POINT = 1024;
    private static final double BITS = 8;
    private static final long US = 1_000;
    private static final int BYTE_RESET_UNIT = 64;
    /** As many increases are made up for after a pause; the next one is due a period later. */
    private static final int MOST_DUE = 4_000;
    /** So many times the fastest arrival no longer limits anything. */
    private static final int UNLIMITED = 2;

    private final long bufferBytes;
    private final long mostBytes;
    private final boolean clamps;
    private final boolean clampsAfterTime;
    private final long timeResetNs;
    private final long byteReset;
    private final int threshold;
    private final double additive;
    private final double hyper;
    private final double alphaToCut;
    private final double leastKept;
    private final double leastRate;
    private final double mostRate;
    private final double firstRate;
    private final double alphaKept;
    private final long alphaPeriodNs;
    private final long cutPeriodNs;
    private final double initialAlpha;

    private final PathMeter path = new PathMeter();
    private long windowBytes;
    private long bytesPerSecond = UNPACED;
    /** Both in bytes a second, while there is a rate. */
    private double rate;
    private double target;
    private double alpha;
    /** Up to when alpha was updated. */
    private long alphaNs;
    /** A CNP came since. */
    private boolean isNotified;
    /** A first CNP came before an arrival was measured. */
    private boolean isFirstDue;
    private long cutNs;
    /** Since the last cut: increases by time and by bytes, and the beginning of the next. */
    private int byTime;
    private int byBytes;
    private long timerNs;
    private long sentBytes;
    private boolean filled;

    /**
     * @param bufferBytes of the sockets at both ends: what may be in flight although the path holds nothing.
     * @param mostBytes   largest window on any path.
     * @param options     the parameters.
     */
    public DcqcnControl(long bufferBytes, long mostBytes, CongestionOptions options) {
        this.bufferBytes = bufferBytes;
        this.mostBytes = Math.max(bufferBytes, mostBytes);
        this.windowBytes = bufferBytes;
        clamps = options.value(DcqcnParameter.CLAMP_TGT_RATE) != 0;
        clampsAfterTime = options.value(DcqcnParameter.CLAMP_TGT_RATE_AFTER_TIME_INC) != 0;
        timeResetNs = options.value(DcqcnParameter.RPG_TIME_RESET) * US;
        byteReset = options.value(DcqcnParameter.RPG_BYTE_RESET) * BYTE_RESET_UNIT;
        threshold = (int) options.value(DcqcnParameter.RPG_THRESHOLD);
        additive = options.value(DcqcnParameter.RPG_AI_RATE) / BITS;
        hyper = options.value(DcqcnParameter.RPG_HAI_RATE) / BITS;
        alphaToCut = FIXED_POINT / (1L << options.value(DcqcnParameter.RPG_GD));
        leastKept = options.value(DcqcnParameter.RPG_MIN_DEC_FAC) / 100.0;
        leastRate = options.value(DcqcnParameter.RPG_MIN_RATE) / BITS;
        mostRate = options.value(DcqcnParameter.RPG_MAX_RATE) / BITS;
        firstRate = options.value(DcqcnParameter.RATE_TO_SET_ON_FIRST_CNP) / BITS;
        alphaKept = options.value(DcqcnParameter.DCE_TCP_G) / FIXED_POINT;
        alphaPeriodNs = options.value(DcqcnParameter.DCE_TCP_RTT) * US;
        cutPeriodNs = options.value(DcqcnParameter.RATE_REDUCE_MONITOR_PERIOD) * US;
        initialAlpha = options.value(DcqcnParameter.INITIAL_ALPHA_VALUE) / FIXED_POINT;
    }

    @Override
    public long windowBytes() {
        return windowBytes;
    }

    @Override
    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    @Override
    public long batchNs() {
        return PathMeter.batchNs(path.shortestNs());
    }

    @Override
    public long pathBytes() {
        return path.pathBytes();
    }

    @Override
    public long staleNs() {
        return path.staleNs();
    }

    /** The target rate in bytes a second; 0 while there is none. */
    double targetPerSecond() {
        return isPaced() ? target : 0;
    }

    /** How congested the path looks, 0 to 1. */
    double alpha() {
        return alpha;
    }

    private boolean isPaced() {
        return bytesPerSecond != UNPACED;
    }

    @Override
    public void onFilled() {
        filled = true;
    }

    @Override
    public void onSample(long sampleNs, long otherWayNs, long hostsNs, boolean isExact, long nowNs) {
        long before = path.shortestNs();
        path.onSample(sampleNs, nowNs);
        if (path.shortestNs() != before) {
            fitWindow();
        }
    }

    @Override
    public void onSent(long bytes, long nowNs) {
        if (isPaced()) {
            increaseByTime(nowNs);
            sentBytes += bytes;
            while (byteReset > 0 && sentBytes >= byteReset && isPaced()) {
                sentBytes -= byteReset;
                byBytes++;
                increase();
            }
        }
    }

    @Override
    public void onArrived(long bytes, long nowNs) {
        boolean isMeasured = path.onArrived(bytes, nowNs);
        if (isPaced()) {
            increaseByTime(nowNs);
        }
        if (isMeasured) {
            if (isFirstDue) {
                isFirstDue = false;
                begin(path.fastestPerSecond(), nowNs);
            }
            followLosses(nowNs);
            filled = false;
            fitWindow();
        }
    }

    /** Each CNP counts, since one stands for all marks of 50 us; one within 4 us of a cut only raises alpha. */
    @Override
    public boolean onNotified(long nowNs) {
        if (isPaced()) {
            increaseByTime(nowNs);
        }
        if (!isPaced()) {
            beginPacing(nowNs);
            return true;
        }
        updateAlpha(nowNs);
        boolean isNews = !isNotified;
        isNotified = true;
        if (nowNs - cutNs < cutPeriodNs) {
            return isNews;
        }
        cut(nowNs);
        return true;
    }

    @Override
    public void onLost(long packets, long bytes) {
        path.onLost(packets, bytes);
    }

    private void beginPacing(long nowNs) {
        if (firstRate > 0) {
            startAlpha(nowNs);
            target = limited(firstRate);
            rate = target;
            restartIncrease(nowNs);
            follow();
        } else if (path.fastestPerSecond() > 0) {
            begin(path.fastestPerSecond(), nowNs);
        } else {
            isFirstDue = true;
        }
    }

    /** The first cut, from the rate of the line. */
    private void begin(double lineRate, long nowNs) {
        startAlpha(nowNs);
        rate = limited(lineRate);
        target = rate;
        byTime = 0;
        byBytes = 0;
        cut(nowNs);
    }

    private void startAlpha(long nowNs) {
        alpha = initialAlpha;
        alphaNs = nowNs;
        isNotified = true;
    }

    private double limited(double perSecond) {
        return Math.max(leastRate, mostRate > 0 ? Math.min(mostRate, perSecond) : perSecond);
    }

    /** Alpha is updated each period; with a CNP only the first of those that passed. */
    private void updateAlpha(long nowNs) {
        long periods = (nowNs - alphaNs) / alphaPeriodNs;
        if (periods > 0) {
            alphaNs += periods * alphaPeriodNs;
            if (isNotified) {
                alpha = alphaKept * alpha + (1 - alphaKept);
                isNotified = false;
                periods--;
            }
            alpha *= Math.pow(alphaKept, periods);
        }
    }

    private void cut(long nowNs) {
        if (clamps || byBytes > 0 || clampsAfterTime && byTime > 0) {
            target = rate;
        }
        rate = Math.max(leastRate, rate * Math.max(leastKept, 1 - alpha * alphaToCut));
        restartIncrease(nowNs);
        follow();
    }

    private void restartIncrease(long nowNs) {
        cutNs = nowNs;
        timerNs = nowNs;
        byTime = 0;
        byBytes = 0;
        sentBytes = 0;
    }

    private void increaseByTime(long nowNs) {
        for (int due = 0; nowNs - timerNs >= timeResetNs && isPaced(); due++) {
            timerNs = due < MOST_DUE ? timerNs + timeResetNs : nowNs;
            byTime++;
            increase();
        }
    }

    private void increase() {
        if (Math.min(byTime, byBytes) > threshold) {
            target += hyper;
        } else if (Math.max(byTime, byBytes) >= threshold) {
            target += additive;
        }
        rate = (target + rate) / 2;
        if (rate >= (mostRate > 0 ? mostRate : UNLIMITED * (double) path.fastestPerSecond())) {
            bytesPerSecond = UNPACED;
            fitWindow();
        } else {
            follow();
        }
    }

    /** At the end of an interval, which is a round trip at least. */
    private void followLosses(long nowNs) {
        if (path.isOverflowing() && onNotified(nowNs) && isPaced() && filled) {
            target = Math.max(leastRate, Math.min(target, path.latestPerSecond()));
            rate = Math.min(rate, target);
            follow();
        }
    }

    private void follow() {
        bytesPerSecond = Math.max(1, (long) rate);
        fitWindow();
    }

    private void fitWindow() {
        if (path.isShort() || !path.isKnown()) {
            windowBytes = bufferBytes;
        } else {
            double perSecond = isPaced() ? rate : UNLIMITED * (double) path.fastestPerSecond();
            windowBytes = (long) Math.min(mostBytes, bufferBytes + perSecond * 1e-9 * path.shortestNs());
        }
    }
}
