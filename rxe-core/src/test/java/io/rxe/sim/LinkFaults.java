package io.rxe.sim;

/**
 * Faults of one direction of a link. Probabilities are from 0 to 1, times in nanoseconds; names and meaning are those of tc netem. Set the
 * values by chaining before use.
 */
final class LinkFaults {
    long latencyNs = 1_000;
    long jitterNs;
    double bitsPerSecond = 10e9;
    int queueBytes = 4 << 20;
    int queuePackets = Integer.MAX_VALUE;
    /** A queue of RFC 3168: packets that allow it are marked with a probability that grows from the first length to the second. */
    int markFromBytes = Integer.MAX_VALUE;
    int markToBytes;
    /** The probability at the second length; beyond it every packet is marked. */
    double markMost;
    double loss;
    /** Gilbert model: probability to enter and to leave the bad state, and the loss inside it. */
    double burstBegin;
    double burstEnd = 1;
    double burstLoss = 1;
    /** Whether the bad state is one of time: it is entered and left per full packet that the line could carry, not per datagram sent. */
    boolean burstInTime;
    double duplicate;
    /** Probability that a datagram skips the latency. */
    double reorder;
    double reorderCorrelation;
    /** Probability that a datagram is overtaken: it takes up to {@link #lateNs} longer than the others. */
    double late;
    long lateNs;
    double corrupt;
    /** Probability that a copy arrives milliseconds later. */
    double replay;

    LinkFaults latency(long ns) {
        latencyNs = ns;
        return this;
    }

    LinkFaults jitter(long ns) {
        jitterNs = ns;
        return this;
    }

    LinkFaults bandwidth(double bits) {
        bitsPerSecond = bits;
        return this;
    }

    LinkFaults queue(int bytes) {
        queueBytes = bytes;
        return this;
    }

    LinkFaults queuePackets(int packets) {
        queuePackets = packets;
        return this;
    }

    /** Marks as switches for DCQCN do: nothing up to Kmin, then more to Pmax at Kmax, then everything. */
    LinkFaults marks(int kminBytes, int kmaxBytes, double pmax) {
        markFromBytes = kminBytes;
        markToBytes = kmaxBytes;
        markMost = pmax;
        return this;
    }

    LinkFaults loss(double probability) {
        loss = probability;
        return this;
    }

    LinkFaults bursts(double begin, double end, double lossInside) {
        burstBegin = begin;
        burstEnd = end;
        burstLoss = lossInside;
        return this;
    }

    LinkFaults burstInTime() {
        burstInTime = true;
        return this;
    }

    LinkFaults duplicate(double probability) {
        duplicate = probability;
        return this;
    }

    LinkFaults reorder(double probability, double correlation) {
        reorder = probability;
        reorderCorrelation = correlation;
        return this;
    }

    LinkFaults late(double probability, long ns) {
        late = probability;
        lateNs = ns;
        return this;
    }

    LinkFaults corrupt(double probability) {
        corrupt = probability;
        return this;
    }

    LinkFaults replay(double probability) {
        replay = probability;
        return this;
    }

    /** The same path without faults. */
    LinkFaults healed() {
        return new LinkFaults().latency(latencyNs).bandwidth(bitsPerSecond);
    }

    boolean isMarking() {
        return markFromBytes != Integer.MAX_VALUE;
    }

    /** How likely a packet is marked that finds a queue of this length. */
    double markProbability(double queuedBytes) {
        if (queuedBytes > markToBytes) {
            return 1;
        }
        return Math.max(0, markMost * (queuedBytes - markFromBytes) / (markToBytes - markFromBytes));
    }

    /** Whether it never loses, corrupts, duplicates or reorders a datagram. */
    boolean isLossless() {
        return loss == 0 && burstBegin == 0 && duplicate == 0 && reorder == 0 && corrupt == 0 && replay == 0 && jitterNs == 0
            && late == 0 && queueBytes >= 4 << 20 && queuePackets == Integer.MAX_VALUE;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("delay ").append(latencyNs / 1000).append("us");
        put(text, " jitter us ", jitterNs / 1000.0);
        put(text, " loss ", loss);
        put(text, " bursts ", burstBegin);
        put(text, " duplicate ", duplicate);
        put(text, " reorder ", reorder);
        put(text, " late ", late);
        put(text, " corrupt ", corrupt);
        put(text, " replay ", replay);
        return text.append(" rate ").append((long) (bitsPerSecond / 1e6)).append("Mbit queue ").append(queueBytes).toString();
    }

    private static void put(StringBuilder text, String name, double value) {
        if (value != 0) {
            text.append(name).append(Math.round(value * 10_000) / 10_000.0);
        }
    }
}
