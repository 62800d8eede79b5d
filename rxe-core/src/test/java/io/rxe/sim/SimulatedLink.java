package io.rxe.sim;

import io.rxe.wire.Ecn;
import io.rxe.wire.Icrc;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One direction between two nodes. Decides for each datagram whether, when and how often it arrives.
 *
 * <pre>
 *   send -> replay? duplicate? -> outage? -> queue, bandwidth -> loss? burst? -> latency, or none (reorder) -> bit flips -> arrive
 * </pre>
 */
final class SimulatedLink {
    /** Ethernet, IPv4, UDP, frame check sequence, preamble and gap. */
    private static final int FRAME_OVERHEAD_BYTES = 66;
    /** A packet of 4096 bytes on the line, with BTH and ICRC. */
    private static final int FULL_FRAME_BYTES = 4096 + 16 + FRAME_OVERHEAD_BYTES;
    /** After a thousand the state of a burst no longer depends on where it began. */
    private static final int MOST_STEPS = 1000;

    private final SeededRandom random;
    private final Network network;
    private final Node destination;
    private final Icrc icrc = new Icrc();
    private LinkFaults faults;
    private Predicate<Datagram> dropCondition = datagram -> false;
    private Bottleneck bottleneck = new Bottleneck();
    private boolean inBurst;
    private long burstStateNs;
    private double lastReorderDraw;
    private long outageFromNs = Long.MIN_VALUE;
    private long outageUntilNs = Long.MIN_VALUE;

    long sent;
    long lost;
    long queueDropped;
    long outageDropped;
    long copies;
    long corrupted;
    long marked;
    long arrivals;

    SimulatedLink(Network network, Node destination, LinkFaults faults, SeededRandom random) {
        this.network = network;
        this.destination = destination;
        this.faults = faults;
        this.random = random;
    }

    Node destination() {
        return destination;
    }

    LinkFaults faults() {
        return faults;
    }

    /** Sets the faults from now on. */
    void faults(LinkFaults newFaults) {
        faults = newFaults;
        inBurst = false;
    }

    /** From now on its datagrams queue with those of the other links that share the bottleneck. */
    void over(Bottleneck shared) {
        bottleneck = shared;
    }

    /** Drops every datagram from one time until another. */
    void outage(long fromNs, long untilNs) {
        outageFromNs = fromNs;
        outageUntilNs = untilNs;
    }

    void send(Datagram datagram, long nowNs) {
        sent++;
        if (random.chance(faults.replay)) {
            copies++;
            arrive(datagram, nowNs + random.between(1_000_000L, 30_000_000L));
        }
        if (random.chance(faults.duplicate)) {
            copies++;
            travel(datagram, nowNs);
        }
        travel(datagram, nowNs);
    }

    /** Inserts a datagram that no node sent. */
    void insert(Datagram datagram, long atNs) {
        copies++;
        arrive(datagram, atNs);
    }

    /** Drops every datagram for which the condition holds. */
    void dropIf(Predicate<Datagram> condition) {
        dropCondition = condition;
    }

    private void travel(Datagram datagram, long nowNs) {
        if (nowNs >= outageFromNs && nowNs < outageUntilNs) {
            outageDropped++;
            network.dropped(datagram);
            return;
        }
        boolean isMarked = isMarked(datagram, nowNs);
        long leavesNs = bottleneck.leavesNs(datagram.bytes.length + FRAME_OVERHEAD_BYTES, faults, nowNs);
        boolean isLost = dropCondition.test(datagram) || isLost(Math.max(leavesNs, nowNs));
        if (isLost || leavesNs == Bottleneck.DROPPED) {
            lost += isLost ? 1 : 0;
            queueDropped += isLost ? 0 : 1;
            network.dropped(datagram);
            return;
        }
        long arrival = leavesNs + travelNs();
        Datagram arriving = isMarked ? datagram.marked() : datagram;
        if (random.chance(faults.corrupt)) {
            arriving = flipBits(arriving);
            if (arriving == null) {
                lost++;
                network.dropped(datagram);
                return;
            }
            corrupted++;
        }
        arrive(arriving, arrival);
    }

    /** Whether a packet that may be marked finds a long queue. */
    private boolean isMarked(Datagram datagram, long nowNs) {
        if (!faults.isMarking() || (datagram.flow.trafficClass() & Ecn.MASK) != Ecn.CAPABLE) {
            return false;
        }
        boolean isMarked = random.chance(faults.markProbability(bottleneck.queuedBytes(faults, nowNs)));
        marked += isMarked ? 1 : 0;
        return isMarked;
    }

    /** From the end of the line to the destination. */
    private long travelNs() {
        if (skipsLatency()) {
            return 0;
        }
        long jitterNs = faults.jitterNs > 0 ? random.between(0L, faults.jitterNs) : 0;
        return faults.latencyNs + jitterNs + (random.chance(faults.late) ? random.between(0L, faults.lateNs) : 0);
    }

    private void arrive(Datagram datagram, long atNs) {
        arrivals++;
        network.schedule(destination, datagram, atNs);
    }

    private boolean isLost(long nowNs) {
        if (faults.burstBegin > 0) {
            for (long steps = burstSteps(nowNs); steps > 0; steps--) {
                inBurst = inBurst ? !random.chance(faults.burstEnd) : random.chance(faults.burstBegin);
            }
            if (inBurst && random.chance(faults.burstLoss)) {
                return true;
            }
        }
        return random.chance(faults.loss);
    }

    private long burstSteps(long nowNs) {
        if (!faults.burstInTime) {
            return 1;
        }
        double packetNs = FULL_FRAME_BYTES * 8e9 / faults.bitsPerSecond;
        long steps = (long) ((nowNs - burstStateNs) / packetNs);
        burstStateNs += (long) (steps * packetNs);
        return Math.min(steps, MOST_STEPS);
    }

    private boolean skipsLatency() {
        if (faults.reorder == 0) {
            return false;
        }
        lastReorderDraw = random.unit() * (1 - faults.reorderCorrelation) + lastReorderDraw * faults.reorderCorrelation;
        return lastReorderDraw < faults.reorder;
    }

    /**
     * Flips bits, but not in the byte that the ICRC does not cover. Returns null when the result is valid for another IP identification:
     * a receiver in user space cannot tell it from a genuine IPv4 datagram.
     */
    private Datagram flipBits(Datagram datagram) {
        byte[] bytes = datagram.bytes.clone();
        int flips = random.chance(0.5) ? 1 : random.between(2, 16);
        for (int i = 0; i < flips; i++) {
            int at = random.chance(0.4) ? random.between(0, Math.min(47, bytes.length - 1)) : random.between(0, bytes.length - 1);
            if (at != 4) {
                bytes[at] ^= (byte) (1 << random.between(0, 7));
            }
        }
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        boolean fits = datagram.flow.isIpv4() ? icrc.recoverIpId(buffer, 0, bytes.length, datagram.flow.icrcSeed()) >= 0
            : icrc.isValidIpv6(buffer, 0, bytes.length, datagram.flow.icrcSeed());
        return fits ? null : datagram.corrupted(bytes);
    }
}
