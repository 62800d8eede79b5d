package io.rxe.net.fault;

import java.util.SplittableRandom;

/** Draws whether a packet is lost, independently or in bursts. Belongs to the owner of one engine. */
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
        // The present state decides on this packet; then the state may change.
        double share = bad ? bursts.lossInBad() : bursts.lossInGood();
        if (random.nextDouble() < (bad ? bursts.toGood() : bursts.toBad())) {
            bad = !bad;
        }
        return random.nextDouble() < share;
    }
}
