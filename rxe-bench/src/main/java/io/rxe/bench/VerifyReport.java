package io.rxe.bench;

/**
 * What a verify pass did; it exists only when everything was right.
 *
 * @param operations     operations covered.
 * @param transfers      messages, both directions together.
 * @param bytesMoved     payload bytes of these messages.
 * @param bytesCompared  bytes of memory looked at, the untouched memory around the targets included.
 * @param elapsedNs      time it took.
 */
public record VerifyReport(int operations, int transfers, long bytesMoved, long bytesCompared, long elapsedNs) {
}
