package io.rxe.sim;

import io.rxe.device.NicConfig;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;

/** What a {@link Transfer} does, and over which path. Set the values by chaining before use. */
final class TransferPlan {
    final LinkFaults there;
    final LinkFaults back;
    long seed = 1;
    Operation operation = Operation.RDMA_WRITE;
    int messageBytes = 65536;
    /** Of each queue pair. */
    long messages = Long.MAX_VALUE;
    /** Messages of each queue pair that are outstanding at once. */
    int depth = 64;
    int maxRdAtomic = 16;
    PathMtu mtu = PathMtu.MTU_4096;
    int senders = 1;
    /** Of each sender. */
    int queuePairs = 1;
    boolean toGoBackN;
    /** As many queue pairs send from the receiver to each sender; WRITEs or READs. */
    boolean bothWays;
    /** As many queue pairs of each sender READ beside those that WRITE or SEND. */
    boolean besideReads;
    int windowBytes = NicConfig.DEFAULT_WINDOW_BYTES;
    CongestionOptions congestion = CongestionOptions.DELAY;
    int timeout = 14;
    int retryCount = 7;
    /** It ends when every message is complete, or after this time. */
    long durationNs = Long.MAX_VALUE;
    long outageFromNs;
    long outageNs;
    /** From this time on the path there is longer, by so much. */
    long longerFromNs = Long.MAX_VALUE;
    long longerNs;
    /** How long the threads of the NICs run at a time, and how long they do not at most; 0 where they always run. */
    long runsNs;
    long mostAwayNs;
    /** Queue pairs, the first of all, whose peers have no receive request; their code of an RNR wait. */
    int refused;
    int rnrTimer = 12;
    /** Probability that an ACK is lost, and nothing else. */
    double ackLoss;

    /** @param there, back the two directions, in which the links of all senders share a bottleneck. */
    TransferPlan(LinkFaults there, LinkFaults back) {
        this.there = there;
        this.back = back;
    }

    /** With the same faults in each direction. */
    static TransferPlan over(LinkFaults eachWay) {
        return new TransferPlan(eachWay, eachWay);
    }

    TransferPlan seed(long newSeed) {
        seed = newSeed;
        return this;
    }

    TransferPlan messages(Operation newOperation, long count, int bytes) {
        operation = newOperation;
        messages = count;
        messageBytes = bytes;
        return this;
    }

    TransferPlan depth(int requests) {
        depth = requests;
        return this;
    }

    TransferPlan mtu(PathMtu newMtu) {
        mtu = newMtu;
        return this;
    }

    TransferPlan queuePairs(int newSenders, int ofEach) {
        senders = newSenders;
        queuePairs = ofEach;
        return this;
    }

    TransferPlan toGoBackN(boolean discards) {
        toGoBackN = discards;
        return this;
    }

    TransferPlan bothWays() {
        bothWays = true;
        return this;
    }

    TransferPlan besideReads() {
        besideReads = true;
        return this;
    }

    TransferPlan window(int bytes) {
        windowBytes = bytes;
        return this;
    }

    TransferPlan congestion(CongestionOptions options) {
        congestion = options;
        return this;
    }

    TransferPlan timeout(int code) {
        timeout = code;
        return this;
    }

    TransferPlan duration(long ns) {
        durationNs = ns;
        return this;
    }

    TransferPlan outage(long fromNs, long ns) {
        outageFromNs = fromNs;
        outageNs = ns;
        return this;
    }

    TransferPlan longer(long fromNs, long ns) {
        longerFromNs = fromNs;
        longerNs = ns;
        return this;
    }

    /** The peers of the first queue pairs are never ready to receive. */
    TransferPlan refused(int count, int newRnrTimer) {
        refused = count;
        rnrTimer = newRnrTimer;
        return this;
    }

    TransferPlan ackLoss(double probability) {
        ackLoss = probability;
        return this;
    }

    /** Other programs run on the hosts of the NICs. */
    TransferPlan busy(long newRunsNs, long newMostAwayNs) {
        runsNs = newRunsNs;
        mostAwayNs = newMostAwayNs;
        return this;
    }

    /** Time of a small packet there and back without a queue. */
    long roundTripNs() {
        return there.latencyNs + back.latencyNs;
    }

    /** Rate of the line that carries the payload. */
    double bitsPerSecond() {
        return (operation == Operation.RDMA_READ ? back : there).bitsPerSecond;
    }
}
