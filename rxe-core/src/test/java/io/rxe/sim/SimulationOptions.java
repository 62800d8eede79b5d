package io.rxe.sim;

import java.util.Arrays;

/** What a seed stands for: how many NICs and connections, what the network does to them, and for how long. Printed when a run fails. */
final class SimulationOptions {
    /** What the network does in the first phase. */
    enum Weather {
        /** Nothing at all: then nothing may ever be sent twice. */
        CALM,
        LOSS,
        BURSTS,
        DISORDER,
        COPIES,
        CORRUPTION,
        BLACKOUTS,
        CONGESTION,
        STORM
    }

    final long seed;
    Weather weather;
    boolean calm;
    boolean ipv6;
    int stations;
    int connections;
    int requests;
    double sinkFull;
    boolean kernelIds;
    int pollDelayNs;
    long healAfterNs;
    double wrongShare;
    double recreateShare;
    double ghostChance;
    LinkFaults faults;

    SimulationOptions(long seed) {
        this.seed = seed;
    }

    static SimulationOptions draw(long seed) {
        return draw(seed, null);
    }

    /** Draws everything; the weather too, unless it is given. */
    static SimulationOptions draw(long seed, Weather given) {
        Dice dice = new Dice(seed);
        SimulationOptions drawn = new SimulationOptions(seed);
        Weather weather = dice.oneOf(Weather.values());
        drawn.weather = given == null ? weather : given;
        drawn.calm = drawn.weather == Weather.CALM;
        drawn.ipv6 = dice.chance(0.3);
        drawn.stations = dice.chance(0.6) ? 2 : dice.between(3, 4);
        drawn.connections = dice.chance(0.5) ? 1 : dice.between(2, 5);
        drawn.requests = dice.oneOf(10, 30, 60, 120);
        drawn.sinkFull = dice.chance(0.5) ? 0 : dice.oneOf(new Double[] {0.01, 0.1, 0.4});
        drawn.kernelIds = dice.chance(0.5);
        drawn.pollDelayNs = dice.oneOf(0, 1_000, 5_000);
        drawn.healAfterNs = dice.between(2_000_000L, 60_000_000L);
        drawn.wrongShare = dice.chance(0.4) ? 0.4 : 0;
        drawn.recreateShare = dice.chance(0.3) ? 0.5 : 0;
        drawn.ghostChance = drawn.calm || dice.chance(0.5) ? 0 : 0.02;
        drawn.faults = drawn.drawFaults(dice);
        return drawn;
    }

    private LinkFaults drawFaults(Dice dice) {
        LinkFaults drawn = new LinkFaults().latency(dice.oneOf(500, 5_000, 50_000, 400_000)).bandwidth(dice.oneOf(1, 10, 40) * 1e9);
        switch (weather) {
            case CALM, BLACKOUTS -> {
                // The path itself is good.
            }
            case LOSS -> drawn.loss(dice.oneOf(new Double[] {0.01, 0.05, 0.15}));
            case BURSTS -> drawn.bursts(0.01, 0.2, 0.9);
            case DISORDER -> disorder(drawn, dice);
            case COPIES -> drawn.duplicate(dice.oneOf(new Double[] {0.05, 0.3})).replay(0.02);
            case CORRUPTION -> drawn.corrupt(dice.oneOf(new Double[] {0.02, 0.1}));
            case CONGESTION -> drawn.queue(dice.between(4, 60) * 1024).bandwidth(0.2e9).latency(20_000);
            case STORM -> {
                disorder(drawn, dice);
                drawn.loss(0.05 * dice.unit()).duplicate(0.1 * dice.unit()).corrupt(0.03 * dice.unit()).replay(0.02 * dice.unit());
                if (dice.chance(0.3)) {
                    drawn.bursts(0.01, 0.2, 0.9);
                }
            }
        }
        return drawn;
    }

    private static void disorder(LinkFaults drawn, Dice dice) {
        if (dice.chance(0.5)) {
            drawn.reorder(dice.oneOf(new Double[] {0.05, 0.25, 0.75}), dice.oneOf(new Double[] {0.0, 0.25}));
        } else {
            drawn.jitter(dice.oneOf(5_000, 100_000, 1_000_000));
        }
    }

    /** Whether datagrams that arrive do so in order and once. */
    boolean keepsOrder() {
        return faults.reorder == 0 && faults.jitterNs == 0 && faults.replay == 0 && faults.duplicate == 0;
    }

    boolean hasBlackouts() {
        return weather == Weather.BLACKOUTS || weather == Weather.STORM;
    }

    @Override
    public String toString() {
        return "seed " + seed + ": " + weather + ", " + Arrays.asList(stations + " NICs", connections + " connections",
            requests + " requests at most", ipv6 ? "IPv6" : "IPv4", "sink full " + sinkFull, kernelIds ? "kernel IP ids" : "batch IP ids",
            "poll delay " + pollDelayNs + " ns", "healed after " + healAfterNs / 1_000_000 + " ms", "wrong share " + wrongShare,
            "recreate share " + recreateShare, "ghosts " + ghostChance, faults.toString());
    }
}
