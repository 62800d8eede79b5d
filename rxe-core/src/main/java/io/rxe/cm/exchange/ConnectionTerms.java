package io.rxe.cm.exchange;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;

/**
 * What both sides of a connection agreed on, seen from this side, ready to be set in a queue pair.
 *
 * <pre>
 *   our                     from                            of
 *   send PSN                starting PSN                    the peer's message: the PSN it expects
 *   receive PSN             starting PSN                    our message
 *   initiator depth         smaller of both                 our request, the peer's responder resources
 *   responder resources     smaller of both                 our offer, the peer's initiator depth
 *   retries                 retry count                     REQ, on both sides
 *   RNR retries             RNR retry count                 the peer's message
 *   credits obeyed          end-to-end flow control        the peer's message
 *   timeout                 rule T10                        packet life time of the REQ, ACK delay of the REP
 * </pre>
 *
 * @param type               of this side's queue pair: RC, UC, XRC_SEND or XRC_RECV, or UD for a datagram service.
 * @param peer               destination of the data.
 * @param pathMtu            of both sides.
 * @param remoteQpn          queue pair number of the peer.
 * @param sendPsn            first PSN this side sends.
 * @param receivePsn         first PSN this side expects.
 * @param initiatorDepth     READs and atomics this side may have in flight.
 * @param responderResources READs and atomics of the peer this side serves at once.
 * @param retryCount         0 to 7.
 * @param rnrRetry           0 to 7.
 * @param ackTimeoutCode     transport timer, 0 to 31.
 * @param endToEndCredits    whether the peer gives end-to-end credits (rules Q15, R19).
 * @param remoteQueueKey     Q_Key of the datagram service of the peer; 0 for a connection.
 * @param partitionKeyIndex  of the P_Key of both sides' queue pairs, in the table of this NIC.
 */
public record ConnectionTerms(QueuePairType type, AddressVector peer, PathMtu pathMtu, int remoteQpn, int sendPsn, int receivePsn,
                              int initiatorDepth, int responderResources, int retryCount, int rnrRetry, int ackTimeoutCode,
                              boolean endToEndCredits, int remoteQueueKey, int partitionKeyIndex) {
    /** The terms of a datagram service. */
    static ConnectionTerms ofDatagrams(AddressVector peer, PathMtu pathMtu, int remoteQpn, int remoteQueueKey, int partitionKeyIndex) {
        return new ConnectionTerms(QueuePairType.UD, peer, pathMtu, remoteQpn, 0, 0, 0, 0, 0, 0, 0, false, remoteQueueKey,
            partitionKeyIndex);
    }

    /** The same with depths no larger than this side wants. */
    public ConnectionTerms limitedTo(int maxInitiatorDepth, int maxResponderResources) {
        return new ConnectionTerms(type, peer, pathMtu, remoteQpn, sendPsn, receivePsn, Math.min(initiatorDepth, maxInitiatorDepth),
            Math.min(responderResources, maxResponderResources), retryCount, rnrRetry, ackTimeoutCode, endToEndCredits,
            remoteQueueKey, partitionKeyIndex);
    }

    /** Attributes for INIT: remote WRITE, and remote READ and atomics if this side serves any (Linux: {@code cm_init_qp_init_attr}). */
    public QueuePairAttributes toInit() {
        return QueuePairAttributes.toInit(accessFlags(responderResources)).partitionKeyIndex(partitionKeyIndex);
    }

    /** Remote access a connection needs: WRITE, and READ and atomics if responder resources are not 0. */
    public static int accessFlags(int responderResources) {
        return responderResources == 0 ? AccessFlags.REMOTE_WRITE
            : AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
    }

    /**
     * Attributes for RTR.
     *
     * @param minRnrTimer RNR timer code of this side's responder; UC and XRC_SEND have none.
     */
    public QueuePairAttributes toReadyToReceive(int minRnrTimer) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RTR).addressVector(peer).pathMtu(pathMtu)
            .destinationQpn(remoteQpn).receivePsn(receivePsn);
        return type == QueuePairType.RC || type == QueuePairType.XRC_RECV
            ? attributes.maxDestRdAtomic(responderResources).minRnrTimer(minRnrTimer) : attributes;
    }

    public QueuePairAttributes toReadyToSend() {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RTS).sendPsn(sendPsn).endToEndCredits(endToEndCredits);
        return switch (type) {
            case RC, XRC_SEND -> attributes.timeout(ackTimeoutCode).retryCount(retryCount).rnrRetry(rnrRetry).maxRdAtomic(initiatorDepth);
            case XRC_RECV -> attributes.timeout(ackTimeoutCode);
            case UC, UD -> attributes;
        };
    }
}
