package io.rxe.net.fault;

import io.rxe.net.port.PortLayer;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * The faults of a NIC, in the words of tc's netem; {@link #parse} reads them. They apply to both directions, drawn separately.
 *
 * @param loss              packets lost independently of each other.
 * @param burstLoss         packets lost in bursts, or null; not together with {@code loss}.
 * @param duplicate         packets that arrive twice.
 * @param corrupt           packets in which one bit is flipped, anywhere from BTH to ICRC.
 * @param reorder           packets that leave at once while the others are delayed.
 * @param gap               only every gap-th packet may leave at once; 1 for any.
 * @param delayNs           time by which the others are delayed.
 * @param jitterNs          how much that time varies, up or down; packets may overtake each other.
 * @param jitterCorrelation correlation of each variation with the one before, 0 to 1.
 * @param rateBitsPerSecond bits that leave in a second, with 14 bytes of Ethernet and the IP and UDP headers; 0 for no limit.
 * @param limit             packets held at the same time in one direction of one socket; any more are dropped.
 */
public record FaultSpec(Probability loss, GilbertElliott burstLoss, Probability duplicate, Probability corrupt,
                        Probability reorder, int gap, long delayNs, long jitterNs, double jitterCorrelation,
                        long rateBitsPerSecond, int limit) {
    /** Default of {@code limit}, that of netem. */
    public static final int DEFAULT_LIMIT = 1000;
    /** Largest {@code limit}: about 70 MB in each direction of each socket. */
    public static final int MAX_LIMIT = 16_384;
    /** Longest delay and jitter. */
    public static final long MAX_DELAY_NS = 60_000_000_000L;

    /** @throws IllegalArgumentException for a value out of range. */
    public FaultSpec {
        Objects.requireNonNull(loss, "loss");
        Objects.requireNonNull(duplicate, "duplicate");
        Objects.requireNonNull(corrupt, "corrupt");
        Objects.requireNonNull(reorder, "reorder");
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit " + limit + " is not in 1.." + MAX_LIMIT);
        }
        if (delayNs < 0 || delayNs > MAX_DELAY_NS || jitterNs < 0 || jitterNs > MAX_DELAY_NS) {
            throw new IllegalArgumentException("delay " + delayNs + " ns with jitter " + jitterNs + " ns: both must be in 0.."
                + MAX_DELAY_NS);
        }
        if (!(jitterCorrelation >= 0 && jitterCorrelation <= 1) || rateBitsPerSecond < 0 || gap < 1) {
            throw new IllegalArgumentException("jitter correlation " + jitterCorrelation + ", rate " + rateBitsPerSecond + ", gap "
                + gap + ": they must be in 0..1, not negative, and at least 1");
        }
        if (!reorder.isNever() && delayNs == 0) {
            throw new IllegalArgumentException("reorder lets packets overtake delayed ones, and there is no delay:"
                + " add one, for example delay 1ms");
        }
        if (burstLoss != null && !loss.isNever()) {
            throw new IllegalArgumentException("loss is given both as a percentage and as a gemodel: choose one");
        }
    }

    /**
     * Parses faults in netem's syntax, for example {@code "loss 3% duplicate 2% reorder 5% corrupt 1% delay 500us"}.
     *
     * @throws IllegalArgumentException that names the wrong word and what is allowed in its place.
     */
    public static FaultSpec parse(String text) {
        return new FaultSpecParser(text).read();
    }

    /**
     * A layer that applies these faults to the sockets of NICs. Each socket has its own random stream, determined by the seed and the
     * number of sockets before it.
     *
     * @param seed the same seed makes the same faults for the same frames.
     */
    public PortLayer layer(long seed) {
        SplittableRandom streams = new SplittableRandom(seed);
        return (inner, counters) -> {
            synchronized (streams) {
                return new FaultPort(inner, this, counters, streams.split());
            }
        };
    }

    /** In netem's syntax; {@link #parse} reads it back. */
    @Override
    public String toString() {
        return FaultSpecParser.write(this);
    }
}
