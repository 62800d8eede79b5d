package io.rxe.counters;

import java.util.Locale;

/** Current values of a queue pair, in its record before its counters. Written at each poll of the queue pair. */
public enum QueuePairCell {
    STATE, // state: 0 RESET, 1 INIT, 2 RTR, 3 RTS, 4 SQD, 5 SQE, 6 ERROR
    NEXT_PSN, // PSN of the next new request
    ACKED_PSN, // oldest PSN not acknowledged
    EXPECTED_PSN, // PSN of the next request expected from the peer
    OUTSTANDING, // packets sent and not acknowledged
    SENDS_QUEUED, // send requests posted and not completed
    RETRIES_LEFT, // retries left of retry_cnt
    RNR_RETRIES_LEFT, // retries left of rnr_retry
    WINDOW, // send window: packets that may be in flight
    WINDOW_BYTES, // the same as payload bytes of full packets
    RATE_BITS_PER_SECOND, // payload bits that may leave in a second, of all queue pairs to this peer; 0 = not paced
    ROUND_TRIP_NS, // smoothed round trip; 0 = not measured
    ROUND_TRIP_MIN_NS, // shortest round trip
    REORDER_HELD, // requests kept behind a gap
    SEND_QUEUE_HIGH_WATER, // most send requests queued at once
    RECEIVE_QUEUE_HIGH_WATER, // most receive requests queued at once
    COMPLETION_QUEUE_HIGH_WATER; // most completions waiting at once, sampled

    /** Name in files and reports, in snake case. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
