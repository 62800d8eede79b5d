package io.rxe.cm;

import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;

/**
 * What connection management is told about its NIC, and its limits.
 *
 * @param gid                 address of the port.
 * @param udpPort             UDP port data goes to; 4791 outside tests.
 * @param portMtu             largest path MTU of the port.
 * @param caGuid              name of the adapter: stable, and different from that of every peer, because peers tell connections apart
 *                            by it.
 * @param ackDelayCode        time code within which this NIC acknowledges, 0 to 31; travels in the REP (rule T10).
 * @param packetLifeTimeCode  time code a packet needs one way, 0 to 30; 18 with rdma_cm on RoCE.
 * @param responseTimeoutCode time code both sides have for an answer, 8 to 31; 20 with rdma_cm.
 * @param maxRetries          times an unanswered message is repeated, 0 to 15.
 * @param maxDialogues        connections, requests and resolutions at once, those in time-wait included.
 * @param repliesPerSecond    answers a second to messages that belong to no connection or came twice.
 */
public record CmConfig(Gid gid, int udpPort, PathMtu portMtu, long caGuid, int ackDelayCode, int packetLifeTimeCode,
                       int responseTimeoutCode, int maxRetries, int maxDialogues, int repliesPerSecond) {
    /** Most dialogues a table can be made for. */
    public static final int MAX_DIALOGUES = 1 << 20;
    private static final int DEFAULT_DIALOGUES = 4096;
    private static final int DEFAULT_REPLIES = 10_000;

    /** @throws IllegalArgumentException for a value out of range. */
    public CmConfig {
        range("ackDelayCode", ackDelayCode, 0, CmTimes.MAX_CODE);
        range("packetLifeTimeCode", packetLifeTimeCode, 0, CmTimes.MAX_CODE - 1);
        range("responseTimeoutCode", responseTimeoutCode, 8, CmTimes.MAX_CODE);
        range("maxRetries", maxRetries, 0, 15);
        range("maxDialogues", maxDialogues, 1, MAX_DIALOGUES);
        range("repliesPerSecond", repliesPerSecond, 1, 1_000_000);
    }

    /** The times and counts of rdma_cm: life time 18, response 20, 15 retries; 4096 dialogues. */
    public static CmConfig of(Gid gid, int udpPort, PathMtu portMtu, long caGuid, int ackDelayCode) {
        return new CmConfig(gid, udpPort, portMtu, caGuid, ackDelayCode, 18, 20, 15, DEFAULT_DIALOGUES, DEFAULT_REPLIES);
    }

    /** With another limit of dialogues. */
    public CmConfig withMaxDialogues(int count) {
        return new CmConfig(gid, udpPort, portMtu, caGuid, ackDelayCode, packetLifeTimeCode, responseTimeoutCode, maxRetries, count,
            repliesPerSecond);
    }

    /** With another number of retries. */
    public CmConfig withMaxRetries(int count) {
        return new CmConfig(gid, udpPort, portMtu, caGuid, ackDelayCode, packetLifeTimeCode, responseTimeoutCode, count, maxDialogues,
            repliesPerSecond);
    }

    /** With another limit of answers. */
    public CmConfig withRepliesPerSecond(int count) {
        return new CmConfig(gid, udpPort, portMtu, caGuid, ackDelayCode, packetLifeTimeCode, responseTimeoutCode, maxRetries,
            maxDialogues, count);
    }

    private static void range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not in " + min + ".." + max);
        }
    }
}
