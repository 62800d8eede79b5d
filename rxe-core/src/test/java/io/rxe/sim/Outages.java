package io.rxe.sim;

/** Times in which links drop every datagram; none after the network has healed. */
final class Outages {
    private final Network network;
    private final SeededRandom random;
    private final boolean cutsPaths;
    private long nextNs = Long.MAX_VALUE;

    /** @param cutsPaths whether an outage is of both directions between two ports, instead of one or two links. */
    Outages(Network network, SeededRandom random, boolean cutsPaths) {
        this.network = network;
        this.random = random;
        this.cutsPaths = cutsPaths;
    }

    /** The first one begins before a given time has passed. */
    void begin(long nowNs, long withinNs) {
        nextNs = nowNs + random.between(0L, cutsPaths ? Math.min(withinNs, 1_000_000L) : withinNs);
    }

    /** There are no more. */
    void end() {
        nextNs = Long.MAX_VALUE;
        network.links().forEach(link -> link.outage(0, 0));
    }

    /** When the next one begins, or {@link Long#MAX_VALUE}. */
    long nextNs() {
        return nextNs;
    }

    /** One or two links drop every datagram for a while. */
    void act(long now) {
        long untilNs = now + random.between(100_000L, 20_000_000L);
        SimulatedLink link = network.links().get(random.between(0, network.links().size() - 1));
        link.outage(now, untilNs);
        if (cutsPaths) {
            network.reverse(link).outage(now, untilNs);
        } else if (random.chance(0.5)) {
            network.links().get(random.between(0, network.links().size() - 1)).outage(now, untilNs);
        }
        nextNs = untilNs + random.between(1_000_000L, 20_000_000L);
    }
}
