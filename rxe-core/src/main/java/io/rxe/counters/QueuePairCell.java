package io.rxe.counters;

/** Current values of a queue pair, in its record before its counters. Written at each poll of the queue pair. */
public enum QueuePairCell {
    STATE("state", "state: 0 RESET, 1 INIT, 2 RTR, 3 RTS, 4 SQD, 5 SQE, 6 ERROR"),
    NEXT_PSN("next_psn", "PSN of the next new request"),
    ACKED_PSN("acked_psn", "oldest PSN not acknowledged"),
    EXPECTED_PSN("expected_psn", "PSN of the next request expected from the peer"),
    OUTSTANDING("outstanding", "packets sent and not acknowledged"),
    SENDS_QUEUED("sends_queued", "send requests posted and not completed"),
    RETRIES_LEFT("retries_left", "retries left of retry_cnt"),
    RNR_RETRIES_LEFT("rnr_retries_left", "retries left of rnr_retry"),
    WINDOW("window", "send window: packets that may be in flight"),
    ROUND_TRIP_NS("round_trip_ns", "smoothed round trip; 0 = not measured"),
    ROUND_TRIP_MIN_NS("round_trip_min_ns", "shortest round trip"),
    REORDER_HELD("reorder_held", "requests kept behind a gap"),
    SEND_QUEUE_HIGH_WATER("send_queue_high_water", "most send requests queued at once"),
    RECEIVE_QUEUE_HIGH_WATER("receive_queue_high_water", "most receive requests queued at once"),
    COMPLETION_QUEUE_HIGH_WATER("completion_queue_high_water", "most completions waiting at once, sampled");

    private final String label;
    private final String sentence;

    QueuePairCell(String label, String sentence) {
        this.label = label;
        this.sentence = sentence;
    }

    /** Name in files and reports, in snake case. */
    public String label() {
        return label;
    }

    /** The meaning, as a phrase for reports. */
    public String sentence() {
        return sentence;
    }
}
