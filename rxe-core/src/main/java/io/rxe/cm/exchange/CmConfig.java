package io.rxe.cm.exchange;

import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;

/**
 * Address, times and limits of connection management on one NIC. Time code n stands for 4.096 us x 2^n.
 *
 * @param gid                 address of the port.
 * @param udpPort             destination UDP port of the data; 4791 outside tests.
 * @param portMtu             largest path MTU of the port.
 * @param caGuid              GUID of the adapter: stable, and unlike that of any peer, because peers identify connections by it.
 * @param ackDelayCode        time code within which this NIC acknowledges, 0 to 31; a field of the REP (rule T10).
 * @param packetLifeTimeCode  time code of the longest time a packet takes to the peer, 0 to 30; 18 with rdma_cm on RoCE.
 * @param responseTimeoutCode time code both sides have for a reply, 8 to 31; 20 with rdma_cm.
 * @param maxRetries          retransmissions of an unanswered message, 0 to 15; 15 with rdma_cm.
 * @param maxExchanges        exchanges this side begins, those in time-wait included, 1 to {@link #MAX_EXCHANGES}.
 * @param maxPeerExchanges    exchanges peers begin, those in time-wait included, 1 to {@link #MAX_EXCHANGES}; one source address may hold
 *                            a quarter of them.
 * @param repliesPerSecond    limit of replies to messages without an exchange and to duplicates, 1 to 1000000.
 * @param requestsPerSecond   requests that listeners are given and no peer confirms, 1 to 1000000; see {@link RequestRate}.
 * @param partitionKeys       the P_Key table of the NIC.
 */
public record CmConfig(Gid gid, int udpPort, PathMtu portMtu, long caGuid, int ackDelayCode, int packetLifeTimeCode,
                       int responseTimeoutCode, int maxRetries, int maxExchanges, int maxPeerExchanges, int repliesPerSecond,
                       int requestsPerSecond, PartitionKeys partitionKeys) {
    /** Upper limit of {@link #maxExchanges} and {@link #maxPeerExchanges}. */
    public static final int MAX_EXCHANGES = 1 << 20;
    private static final int DEFAULT_EXCHANGES = 4096;
    private static final int DEFAULT_PEER_EXCHANGES = 16_384;
    private static final int DEFAULT_REPLIES = 10_000;
    private static final int DEFAULT_REQUESTS = 200;

    /** @throws IllegalArgumentException for a value out of range. */
    public CmConfig {
        range("ackDelayCode", ackDelayCode, 0, CmTimes.MAX_CODE);
        range("packetLifeTimeCode", packetLifeTimeCode, 0, CmTimes.MAX_CODE - 1);
        range("responseTimeoutCode", responseTimeoutCode, 8, CmTimes.MAX_CODE);
        range("maxRetries", maxRetries, 0, 15);
        range("maxExchanges", maxExchanges, 1, MAX_EXCHANGES);
        range("maxPeerExchanges", maxPeerExchanges, 1, MAX_EXCHANGES);
        range("repliesPerSecond", repliesPerSecond, 1, 1_000_000);
        range("requestsPerSecond", requestsPerSecond, 1, 1_000_000);
    }

    /**
     * The times and retries of rdma_cm; 4096 exchanges of our own, 16384 of peers; in a second 10000 replies and 200 requests that
     * nobody confirms.
     */
    public static CmConfig of(Gid gid, int udpPort, PathMtu portMtu, long caGuid, int ackDelayCode) {
        return new CmConfig(gid, udpPort, portMtu, caGuid, ackDelayCode, 18, 20, 15, DEFAULT_EXCHANGES, DEFAULT_PEER_EXCHANGES,
            DEFAULT_REPLIES, DEFAULT_REQUESTS, PartitionKeys.DEFAULT);
    }

    /** With another P_Key table. */
    public CmConfig withPartitionKeys(PartitionKeys table) {
        return new CmConfig(gid, udpPort, portMtu, caGuid, ackDelayCode, packetLifeTimeCode, responseTimeoutCode, maxRetries, maxExchanges,
            maxPeerExchanges, repliesPerSecond, requestsPerSecond, table);
    }

    private static void range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not in " + min + ".." + max);
        }
    }
}
