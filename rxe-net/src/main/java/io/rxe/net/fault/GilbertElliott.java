package io.rxe.net.fault;

/**
 * Loss in bursts: a path in a good or a bad state, which may change with each packet.
 *
 * @param toBad      probability to become bad, 0 to 1; netem calls it p.
 * @param toGood     probability to become good again; r.
 * @param lossInBad  share of packets lost while bad; 1-h.
 * @param lossInGood share of packets lost while good; 1-k.
 */
public record GilbertElliott(double toBad, double toGood, double lossInBad, double lossInGood) {
    /** @throws IllegalArgumentException for a value that is not in 0..1. */
    public GilbertElliott {
        for (double share : new double[] {toBad, toGood, lossInBad, lossInGood}) {
            if (!(share >= 0 && share <= 1)) {
                throw new IllegalArgumentException("gemodel with " + share + ": all must be in 0..1");
            }
        }
    }
}
