package io.rxe.bench;

/**
 * Result of a verify pass; it exists only if everything was right.
 *
 * @param operations     operations verified.
 * @param transfers      messages, both directions together.
 * @param bytesMoved     payload bytes of these messages.
 * @param bytesCompared  bytes of memory compared, including the memory around the targets.
 * @param elapsedNs      time it took.
 */
public record VerifyReport(int operations, int transfers, long bytesMoved, long bytesCompared, long elapsedNs) {
}
