package io.rxe.bench;

import io.rxe.verbs.ReceiveRequest;

/** The queue pair of a latency test, and the few receives each side keeps posted on it. */
final class LatencyQueues {
    /** Receives that each side keeps posted. */
    static final int RECEIVES = 4;

    private LatencyQueues() {
    }

    /** One queue pair with room for the receives; keeps path MTU and seed. */
    static PairConfig pair(PairConfig given) {
        return new PairConfig(given.pathMtu(), 1, 2 * RECEIVES, 2 * RECEIVES, given.seed());
    }

    /** Posts the receives of one side. */
    static void postReceives(LoopbackSide side, ReceiveRequest receive) {
        for (int i = 0; i < RECEIVES; i++) {
            side.queuePair(0).postReceive(receive);
        }
    }
}
