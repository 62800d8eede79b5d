package io.rxe.bench.raw;

/**
 * Goodput of one payload size.
 *
 * @param payloadBytes of each frame.
 * @param frames       received in the time measured.
 * @param elapsedNs    time measured.
 * @param lost         frames lost, as far as the window proves it; 0 in a valid run.
 * @param spoiled      frames whose CRC was wrong; 0 in a valid run.
 */
public record RawGoodput(int payloadBytes, long frames, long elapsedNs, long lost, long spoiled) {
    public double gigabitsPerSecond() {
        return frames * 8.0 * payloadBytes / elapsedNs;
    }

    public double framesPerSecond() {
        return frames * 1e9 / elapsedNs;
    }
}
