package io.rxe.cm.exchange;

import io.rxe.time.TokenBucket;

/**
 * Limits how many requests listeners are given that nobody confirms. A request costs the application a queue pair and the engine a
 * dozen commands, and its source address may be forged. An RTU proves the address and gives back what its request took, so connections
 * that are established are not limited.
 *
 * <p>Sources that hold an established connection have a rate of their own: other sources cannot use it up. SIDR_REQs are never confirmed,
 * cost one command each, and have a third rate.
 *
 * <p>A request above the rate is dropped. A REJ would end the connect of an honest peer, which retransmits instead.
 *
 * <p>Engine thread.
 */
final class RequestRate {
    /** Seconds of the rate that may come at once: a client that begins a thousand connections. */
    private static final int BURST_SECONDS = 5;
    private static final int DATAGRAM_FACTOR = 2;

    private final TokenBucket others;
    private final TokenBucket peers;
    private final TokenBucket services;

    /** @param perSecond unconfirmed REQs, for others and for peers with a connection each; SIDR_REQs twice as many. */
    RequestRate(int perSecond) {
        others = new TokenBucket(perSecond, BURST_SECONDS * perSecond);
        peers = new TokenBucket(perSecond, BURST_SECONDS * perSecond);
        services = new TokenBucket(DATAGRAM_FACTOR * perSecond, BURST_SECONDS * perSecond);
    }

    /** Whether a REQ may reach its listener now. */
    boolean takeRequest(boolean isPeer, long nowNs) {
        return (isPeer ? peers : others).take(nowNs);
    }

    /** Whether a SIDR_REQ may reach its listener now. */
    boolean takeServiceRequest(long nowNs) {
        return services.take(nowNs);
    }

    /** A peer confirmed a request. */
    void onConfirmed() {
        others.giveBack();
        peers.giveBack();
    }
}
