package io.rxe.bench;

/**
 * Result of a bandwidth test.
 *
 * @param messages  messages completed in the measured time, counted at the receiver if they take a receive request.
 * @param bytes     their payload.
 * @param elapsedNs the measured time.
 */
public record BandwidthResult(long messages, long bytes, long elapsedNs) {
    /** Payload, in 10^9 bits per second. */
    public double gigabitsPerSecond() {
        return bytes * 8.0 / elapsedNs;
    }

    /** Payload, in 10^6 bytes per second. */
    public double megabytesPerSecond() {
        return bytes * 1e3 / elapsedNs;
    }

    public double messagesPerSecond() {
        return messages * 1e9 / elapsedNs;
    }
}
