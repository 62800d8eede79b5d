package io.rxe.sim;

import io.rxe.wire.Icrc;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One direction between two stations: decides for each datagram whether, when and how often it arrives.
 *
 * <pre>
 *   send -> blackout? -> loss? burst? -> duplicate -> queue, bandwidth -> latency, or at once (reorder) -> bit flips -> arrive
 * </pre>
 */
final class SimulatedLink {
    /** Ethernet, IPv4, UDP, frame check sequence, preamble and gap. */
    private static final int FRAME_OVERHEAD_BYTES = 66;

    private final Dice dice;
    private final Network network;
    private final Station destination;
    private final Icrc icrc = new Icrc();
    private LinkFaults faults;
    private Predicate<Datagram> losing = datagram -> false;
    private long freeAtNs;
    private boolean inBurst;
    private double lastReorderDraw;
    private long blackoutUntilNs = Long.MIN_VALUE;

    long sent;
    long lost;
    long queueDropped;
    long blackedOut;
    long copies;
    long corrupted;
    long arrivals;

    SimulatedLink(Network network, Station destination, LinkFaults faults, Dice dice) {
        this.network = network;
        this.destination = destination;
        this.faults = faults;
        this.dice = dice;
    }

    LinkFaults faults() {
        return faults;
    }

    /** From now on. */
    void faults(LinkFaults newFaults) {
        faults = newFaults;
        inBurst = false;
    }

    /** Nothing gets through until a time. */
    void blackout(long untilNs) {
        blackoutUntilNs = untilNs;
    }

    void send(Datagram datagram, long nowNs) {
        sent++;
        if (dice.chance(faults.replay)) {
            copies++;
            arrive(datagram, nowNs + dice.between(1_000_000L, 30_000_000L));
        }
        if (dice.chance(faults.duplicate)) {
            copies++;
            travel(datagram, nowNs);
        }
        travel(datagram, nowNs);
    }

    /** Lets a datagram arrive that nobody sent. */
    void insert(Datagram datagram, long atNs) {
        copies++;
        arrive(datagram, atNs);
    }

    /** Every datagram for which the condition holds is lost. */
    void lose(Predicate<Datagram> condition) {
        losing = condition;
    }

    private void travel(Datagram datagram, long nowNs) {
        if (nowNs < blackoutUntilNs) {
            blackedOut++;
            return;
        }
        if (losing.test(datagram) || isLost()) {
            lost++;
            return;
        }
        int bytes = datagram.bytes.length + FRAME_OVERHEAD_BYTES;
        long begin = Math.max(nowNs, freeAtNs);
        if ((begin - nowNs) * faults.bitsPerSecond / 8e9 > faults.queueBytes) {
            queueDropped++;
            return;
        }
        freeAtNs = begin + (long) (bytes * 8e9 / faults.bitsPerSecond);
        long arrival = freeAtNs;
        if (!isSentAtOnce()) {
            arrival += faults.latencyNs;
            if (faults.jitterNs > 0) {
                arrival += dice.between(0L, faults.jitterNs);
            }
        }
        Datagram arriving = datagram;
        if (dice.chance(faults.corrupt)) {
            arriving = flipBits(datagram);
            if (arriving == null) {
                lost++;
                return;
            }
            corrupted++;
        }
        arrive(arriving, arrival);
    }

    private void arrive(Datagram datagram, long atNs) {
        arrivals++;
        network.schedule(destination, datagram, atNs);
    }

    private boolean isLost() {
        if (faults.burstBegin > 0) {
            inBurst = inBurst ? !dice.chance(faults.burstEnd) : dice.chance(faults.burstBegin);
            if (inBurst && dice.chance(faults.burstLoss)) {
                return true;
            }
        }
        return dice.chance(faults.loss);
    }

    private boolean isSentAtOnce() {
        if (faults.reorder == 0) {
            return false;
        }
        lastReorderDraw = dice.unit() * (1 - faults.reorderCorrelation) + lastReorderDraw * faults.reorderCorrelation;
        return lastReorderDraw < faults.reorder;
    }

    /**
     * Flips bits anywhere. The one byte the ICRC does not cover is spared, and so is what happens to fit another IP identification: over
     * IPv4 no receiver in user space could know those from genuine ones. Null when that is what came out.
     */
    private Datagram flipBits(Datagram datagram) {
        byte[] bytes = datagram.bytes.clone();
        int flips = dice.chance(0.5) ? 1 : dice.between(2, 16);
        for (int i = 0; i < flips; i++) {
            int at = dice.chance(0.4) ? dice.between(0, Math.min(47, bytes.length - 1)) : dice.between(0, bytes.length - 1);
            if (at != 4) {
                bytes[at] ^= (byte) (1 << dice.between(0, 7));
            }
        }
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        boolean fits = datagram.flow.isIpv4() ? icrc.recoverIpId(buffer, 0, bytes.length, datagram.flow.icrcSeed()) >= 0
            : icrc.isValidIpv6(buffer, 0, bytes.length, datagram.flow.icrcSeed());
        return fits ? null : datagram.corrupted(bytes);
    }
}
