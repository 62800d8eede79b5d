package io.rxe.port;

/**
 * What a queue pair knows of the path to its peer. The window and the rate are those of all queue pairs of its engine to this peer
 * together, in payload of full packets. Counts are since the queue pair was created.
 *
 * <p>Owned by the engine thread; an {@link EngineObserver} reads it before it returns.
 */
public interface PathFigures {
    /** Payload bytes that may be in flight; 0 before there is a path. */
    long windowBytes();

    /** Payload bits that may leave in a second; 0 where nothing is paced. */
    long bitsPerSecond();

    /** Smoothed round trip in nanoseconds; 0 before the first sample. */
    long roundTripNs();

    /** Shortest round trip of late in nanoseconds; 0 before the first sample. */
    long shortestRoundTripNs();

    /** Packets accepted that a router had marked. */
    long marked();

    /** CNPs sent. */
    long notificationsSent();

    /** CNPs of the peer that changed anything. */
    long notificationsObeyed();
}
