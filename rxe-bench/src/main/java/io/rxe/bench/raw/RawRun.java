package io.rxe.bench.raw;

import io.rxe.bench.MachineInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Measures raw UDP.
 *
 * @param payloadSizes payload of a frame, one row each, 8 to 32000 bytes.
 * @param coalescing   whether the kernel may coalesce received frames (UDP_GRO).
 * @param durationNs   time of each goodput test; round trips take half of it.
 */
public record RawRun(List<Integer> payloadSizes, boolean coalescing, long durationNs) {
    /** Smallest payload: a frame must be longer than an acknowledgement. */
    public static final int MIN_PAYLOAD_BYTES = Long.BYTES;
    /** Largest payload: two frames fit in a batch. */
    public static final int MAX_PAYLOAD_BYTES = 32_000;
    private static final long LONGEST_WARM_UP_NS = 300_000_000L;

    /** @throws IllegalArgumentException for a value out of range. */
    public RawRun {
        payloadSizes = List.copyOf(payloadSizes);
        for (int size : payloadSizes) {
            if (size < MIN_PAYLOAD_BYTES || size > MAX_PAYLOAD_BYTES) {
                throw new IllegalArgumentException("payload " + size + " is not in " + MIN_PAYLOAD_BYTES + ".." + MAX_PAYLOAD_BYTES
                    + ": a raw frame is one datagram; choose --sizes in that range");
            }
        }
        if (durationNs <= 0) {
            throw new IllegalArgumentException("duration " + durationNs + " ns <= 0");
        }
    }

    /** The payloads of the usual path MTUs, and a small message. */
    public static List<Integer> defaultSizes() {
        return List.of(4096, 1024, 64);
    }

    /**
     * Measures every payload size.
     *
     * @param progress receives the name of each step before it starts.
     * @throws IOException if a socket fails.
     */
    public RawReport run(MachineInfo machine, Consumer<String> progress) throws IOException {
        long warmUpNs = Math.min(LONGEST_WARM_UP_NS, durationNs);
        List<RawReport.Row> rows = new ArrayList<>();
        for (int size : payloadSizes) {
            progress.accept("raw UDP, payload " + size);
            rows.add(new RawReport.Row(new RawBandwidth(size, coalescing).run(warmUpNs, durationNs),
                new RawRoundTrip(size).spin(warmUpNs, durationNs / 2), new RawRoundTrip(size).block(warmUpNs, durationNs / 2)));
        }
        return new RawReport(this, machine, rows);
    }
}
