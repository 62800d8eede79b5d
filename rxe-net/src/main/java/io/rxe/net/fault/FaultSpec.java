package io.rxe.net.fault;

import io.rxe.net.PortLayer;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Which faults a NIC suffers, in the words of tc's netem; {@link #parse} reads them. Both directions suffer the same, each by a
 * chance of its own.
 *
 * @param loss              packets lost each for itself.
 * @param burstLoss         packets lost in bursts, or null; not together with {@code loss}.
 * @param duplicate         packets that arrive twice.
 * @param corrupt           packets in which one bit is turned over, anywhere from BTH to ICRC.
 * @param reorder           packets that go at once while the others are delayed.
 * @param gap               only every gap-th packet may go at once; 1 for any.
 * @param delayNs           time the others are held back.
 * @param jitterNs          how much that time varies, up or down; packets overtake each other by it.
 * @param jitterCorrelation how much each variation resembles the one before, 0 to 1.
 * @param rateBitsPerSecond what leaves in a second, with 14 bytes of Ethernet and the IP and UDP headers; 0 for no limit.
 * @param limit             packets held back at once in one direction of one socket; more are dropped.
 */
public record FaultSpec(Probability loss, GilbertElliott burstLoss, Probability duplicate, Probability corrupt,
                        Probability reorder, int gap, long delayNs, long jitterNs, double jitterCorrelation,
                        long rateBitsPerSecond, int limit) {
    /** Packets held back at once when nothing is said; netem's own figure. */
    public static final int DEFAULT_LIMIT = 1000;
    /** Most packets that may be held back at once: some 70 MB in each direction of each socket. */
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
            throw new IllegalArgumentException("reorder lets packets past others that are delayed, and there is no delay:"
                + " add one, for example delay 1ms");
        }
        if (burstLoss != null && !loss.isNever()) {
            throw new IllegalArgumentException("loss is given as a share and as a gemodel: choose one");
        }
    }

    /**
     * Reads faults as netem takes them, for example {@code "loss 3% duplicate 2% reorder 5% corrupt 1% delay 500us"}.
     *
     * @throws IllegalArgumentException naming the word that is wrong and what is allowed in its place.
     */
    public static FaultSpec parse(String text) {
        return new FaultWords(text).read();
    }

    /**
     * Makes these faults for the sockets of NICs. Each socket draws from a stream of its own, which the seed and the number of
     * sockets before it decide.
     *
     * @param seed same seed, same faults for the same frames.
     */
    public PortLayer layer(long seed) {
        SplittableRandom streams = new SplittableRandom(seed);
        return (inner, counters) -> {
            synchronized (streams) {
                return new FaultPort(inner, this, counters, streams.split());
            }
        };
    }

    /** In netem's words; {@link #parse} reads it back. */
    @Override
    public String toString() {
        return FaultWords.write(this);
    }
}
