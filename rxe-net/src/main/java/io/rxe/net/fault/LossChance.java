package io.rxe.net.fault;

import java.util.SplittableRandom;

/** Draws whether a packet is lost, each for itself or in bursts. Belongs to one loop thread. */
final class LossChance {
    private final Chance single;
    private final GilbertElliott bursts;
    private final SplittableRandom random;
    private boolean bad;

    LossChance(FaultSpec spec, SplittableRandom random) {
        this.single = new Chance(spec.loss(), random);
        this.bursts = spec.burstLoss();
        this.random = random;
    }

    boolean happens() {
        if (bursts == null) {
            return single.happens();
        }
        // The side the path was on decides on this packet; then it may change.
        double share = bad ? bursts.lossInBad() : bursts.lossInGood();
        if (random.nextDouble() < (bad ? bursts.toGood() : bursts.toBad())) {
            bad = !bad;
        }
        return random.nextDouble() < share;
    }
}
