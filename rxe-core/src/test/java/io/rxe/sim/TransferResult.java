package io.rxe.sim;

import io.rxe.counters.NicCounter;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What a {@link Transfer} took.
 *
 * @param elapsedNs   until the last message was complete.
 * @param dataFrames  sent, with retransmissions.
 * @param latenciesNs of each message, from its post to its completion.
 * @param failures    the first completion with an error of each queue pair that failed.
 * @param counters    of the senders.
 */
record TransferResult(TransferPlan plan, long elapsedNs, long dataFrames, ArrivalLog arrivals, long[] latenciesNs, List<String> failures,
                      ToLongFunction<NicCounter> counters) {
    private static final List<NicCounter> TOLD = List.of(NicCounter.RETRANSMITTED_PKTS, NicCounter.RCVD_SEQ_ERR, NicCounter.IMPLIED_NAK,
        NicCounter.LOSS_PROBE, NicCounter.ACK_TIMEOUT);

    TransferResult succeeded() {
        if (!failures.isEmpty()) {
            throw new SimulationFailure("transfer failed: " + failures.get(0));
        }
        return this;
    }

    long bytes() {
        return (long) latenciesNs.length * plan.messageBytes;
    }

    /** Data frames sent for each that a lossless network needs. */
    double amplification() {
        int mtu = plan.mtu.bytes();
        return (double) dataFrames / ((long) latenciesNs.length * ((plan.messageBytes + mtu - 1) / mtu));
    }

    /** Payload that arrived after a number of round trips, as a share of the rate of the line. */
    double shareAfter(int roundTrips) {
        return arrivals.throughput.bitsPerSecond(roundTrips * plan.roundTripNs(), plan.durationNs) / plan.bitsPerSecond();
    }

    /** Round trips from the first post to the end of the first in which payload arrived at a share of the rate; infinite for never. */
    double roundTripsTo(double share) {
        long reachedNs = arrivals.throughput.reachedNs(share * plan.bitsPerSecond(), 0);
        return reachedNs == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : (double) reachedNs / plan.roundTripNs();
    }

    /** Data frames whose payload had arrived before, as a share of all that arrived. */
    double needless() {
        return (double) arrivals.repeated / arrivals.frames;
    }

    /** Time from post to completion that this share of the messages needed at most, in round trips. */
    double latency(double share) {
        long[] sorted = latenciesNs.clone();
        Arrays.sort(sorted);
        return (double) sorted[(int) Math.min(sorted.length - 1, Math.round(share * sorted.length))] / plan.roundTripNs();
    }

    long counter(NicCounter counter) {
        return counters.applyAsLong(counter);
    }

    /** How the senders recovered. */
    String recovery() {
        StringBuilder text = new StringBuilder();
        TOLD.forEach(counter -> text.append(text.isEmpty() ? "" : " ").append(counter.label()).append(' ').append(counter(counter)));
        return text.toString();
    }
}
