package io.rxe.bench;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One number of queue pairs.
 *
 * @param queuePairs   on each side.
 * @param setUpNs      time to create and connect both sides of all of them.
 * @param bytesEach    memory one queue pair takes on one side, heap and direct memory together.
 * @param large        SENDs of large messages over all of them.
 * @param small        SENDs of small messages over all of them.
 * @param alone        SENDs of small messages over one of them, while all others are idle.
 */
public record ScaleRow(int queuePairs, long setUpNs, long bytesEach, BandwidthResult large, BandwidthResult small,
                       BandwidthResult alone) {
    /** Time to create and connect one queue pair on both sides, in microseconds. */
    public double setUpMicrosecondsEach() {
        return setUpNs / 1e3 / queuePairs;
    }

    /** For {@link JsonText}. */
    Map<String, Object> toJson() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("queue_pairs", queuePairs);
        fields.put("set_up_ns", setUpNs);
        fields.put("bytes_each", bytesEach);
        fields.put("gigabits_per_second", large.gigabitsPerSecond());
        fields.put("goodput_fairness", large.fairness());
        fields.put("messages_per_second", small.messagesPerSecond());
        fields.put("rate_fairness", small.fairness());
        fields.put("messages_per_second_alone", alone.messagesPerSecond());
        return fields;
    }
}
