package io.rxe.sim;

import io.rxe.wire.Gid;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The scenario of a seed: number of NICs and connections, faults and their duration. A failed run prints it. */
final class SimulationOptions {
    /** Faults of the network in the first phase. */
    enum FaultProfile {
        /** No faults: there must be no retransmissions. */
        LOSSLESS,
        LOSS,
        BURSTS,
        DISORDER,
        DUPLICATION,
        CORRUPTION,
        OUTAGES,
        CONGESTION,
        COMBINED
    }

    final long seed;
    FaultProfile faultProfile;
    boolean lossless;
    boolean ipv6;
    int nodes;
    int connections;
    int requests;
    double sinkFullProbability;
    boolean kernelIpIds;
    int pollDelayNs;
    long healAfterNs;
    double errorShare;
    double reconnectShare;
    double ghostProbability;
    LinkFaults faults;
    Set<Feature> features = Set.of();

    SimulationOptions(long seed) {
        this.seed = seed;
    }

    /** Draws a scenario with the features of a mix. */
    static SimulationOptions draw(long seed, Feature.Mix mix) {
        return draw(seed, null, Feature.draw(seed, mix));
    }

    /** Draws a scenario with given features; a non-null fault profile replaces the drawn one. */
    static SimulationOptions draw(long seed, FaultProfile given, Set<Feature> features) {
        SeededRandom random = new SeededRandom(seed);
        SimulationOptions drawn = new SimulationOptions(seed);
        FaultProfile faultProfile = random.oneOf(FaultProfile.values());
        drawn.faultProfile = given == null ? faultProfile : given;
        drawn.lossless = drawn.faultProfile == FaultProfile.LOSSLESS;
        drawn.ipv6 = random.chance(0.3);
        drawn.nodes = random.chance(0.6) ? 2 : random.between(3, 4);
        drawn.connections = random.chance(0.5) ? 1 : random.between(2, 5);
        drawn.requests = random.oneOf(10, 30, 60, 120);
        drawn.sinkFullProbability = random.chance(0.5) ? 0 : random.oneOf(new Double[] {0.01, 0.1, 0.4});
        drawn.kernelIpIds = random.chance(0.5);
        drawn.pollDelayNs = random.oneOf(0, 1_000, 5_000);
        drawn.healAfterNs = random.between(2_000_000L, 60_000_000L);
        drawn.errorShare = random.chance(0.4) ? 0.4 : 0;
        drawn.reconnectShare = random.chance(0.3) ? 0.5 : 0;
        drawn.ghostProbability = drawn.lossless || random.chance(0.5) ? 0 : 0.02;
        drawn.faults = drawn.drawFaults(random);
        drawn.features = features;
        if (drawn.has(Feature.KEEP_ALIVE)) {
            drawn.reconnectShare = 0;
        }
        if (drawn.has(Feature.SEVERAL_ENGINES)) {
            drawn.connections = random.between(3, 8);
        } else if (drawn.has(Feature.PATHS)) {
            drawn.healAfterNs = Math.max(drawn.healAfterNs, 20_000_000L);
            drawn.reconnectShare = 0;
        } else if (drawn.has(Feature.DISRUPTIONS)) {
            drawn.connections = random.between(2, 6);
        }
        return drawn;
    }

    private LinkFaults drawFaults(SeededRandom random) {
        LinkFaults drawn = new LinkFaults().latency(random.oneOf(500, 5_000, 50_000, 400_000)).bandwidth(random.oneOf(1, 10, 40) * 1e9);
        switch (faultProfile) {
            case LOSSLESS, OUTAGES -> {
                // The links have no faults of their own.
            }
            case LOSS -> drawn.loss(random.oneOf(new Double[] {0.01, 0.05, 0.15}));
            case BURSTS -> drawn.bursts(0.01, 0.2, 0.9);
            case DISORDER -> disorder(drawn, random);
            case DUPLICATION -> drawn.duplicate(random.oneOf(new Double[] {0.05, 0.3})).replay(0.02);
            case CORRUPTION -> drawn.corrupt(random.oneOf(new Double[] {0.02, 0.1}));
            case CONGESTION -> drawn.queue(random.between(4, 60) * 1024).bandwidth(0.2e9).latency(20_000);
            case COMBINED -> {
                disorder(drawn, random);
                drawn.loss(0.05 * random.unit()).duplicate(0.1 * random.unit()).corrupt(0.03 * random.unit()).replay(0.02 * random.unit());
                if (random.chance(0.3)) {
                    drawn.bursts(0.01, 0.2, 0.9);
                }
            }
        }
        return drawn;
    }

    private static void disorder(LinkFaults drawn, SeededRandom random) {
        if (random.chance(0.5)) {
            drawn.reorder(random.oneOf(new Double[] {0.05, 0.25, 0.75}), random.oneOf(new Double[] {0.0, 0.25}));
        } else {
            drawn.jitter(random.oneOf(5_000, 100_000, 1_000_000));
        }
    }

    /** Whether datagrams arrive in order and at most once. */
    boolean keepsOrder() {
        return faults.reorder == 0 && faults.jitterNs == 0 && faults.replay == 0 && faults.duplicate == 0;
    }

    /** Draws the number of engines of one NIC. */
    int engines(SeededRandom random) {
        return has(Feature.SEVERAL_ENGINES) ? random.between(2, 4) : 1;
    }

    /** Addresses of the ports of a NIC. */
    List<Gid> gids(int index) {
        Gid first = Gid.parse((ipv6 ? "fd00::" : "10.0.0.") + (index + 1));
        return has(Feature.PATHS) ? List.of(first, Gid.parse((ipv6 ? "fd00:1::" : "10.1.0.") + (index + 1))) : List.of(first);
    }

    boolean has(Feature feature) {
        return features.contains(feature);
    }

    boolean hasOutages() {
        return faultProfile == FaultProfile.OUTAGES || faultProfile == FaultProfile.COMBINED;
    }

    @Override
    public String toString() {
        return "seed " + seed + ": " + faultProfile + ", " + Arrays.asList(nodes + " NICs", connections + " connections",
            requests + " requests at most", ipv6 ? "IPv6" : "IPv4", "sink full " + sinkFullProbability, kernelIpIds ? "kernel IP ids"
                : "batch IP ids",
            "poll delay " + pollDelayNs + " ns", "healed after " + healAfterNs / 1_000_000 + " ms", "error share " + errorShare,
            "reconnect share " + reconnectShare, "ghosts " + ghostProbability, faults.toString(), "features " + features);
    }
}
