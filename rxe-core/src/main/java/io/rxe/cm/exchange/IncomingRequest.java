package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PathMtu;
import org.agrona.DirectBuffer;

/**
 * The fields of a REQ that passed its checks. Times are limited, see {@link CmTimes}: anybody can send a REQ, and what it names decides
 * how long its exchange lives.
 *
 * @param origin         of the MAD.
 * @param transactionId  of the REQ; REP, MRA and REJ echo it.
 * @param remoteId       communication ID of the peer.
 * @param caGuid         GUID of the peer's adapter.
 * @param reqTimeoutCode time code within which the peer expects our reply (remote CM response timeout).
 * @param repTimeoutCode time code within which the peer replies to our REP (local CM response timeout).
 * @param maxRetries     retransmissions of an unanswered message on either side, 0 to 15.
 * @param sourcePort     port the requester claims to come from.
 * @param offer          the most the peer offers, crossed over to this side.
 */
record IncomingRequest(Origin origin, long transactionId, int remoteId, long caGuid, int reqTimeoutCode, int repTimeoutCode, int maxRetries,
                       int sourcePort, ConnectionTerms offer) {
    private static final int DEFAULT_HOP_LIMIT = 64;

    static IncomingRequest of(DirectBuffer req, int offset, Origin origin, CmConfig config, int receivePsn) {
        int hopLimit = CmReq.HOP_LIMIT.get(req, offset);
        AddressVector peer = new AddressVector(CmReq.PRIMARY_LOCAL_GID.get(req, offset), config.udpPort(),
            CmReq.TRAFFIC_CLASS.get(req, offset), hopLimit == 0 ? DEFAULT_HOP_LIMIT : hopLimit);
        ConnectionTerms offer = new ConnectionTerms(CmTransport.accepting(req, offset), peer,
            PathMtu.ofCode(CmReq.PATH_MTU.get(req, offset)),
            CmReq.LOCAL_QPN.get(req, offset), CmReq.STARTING_PSN.get(req, offset), receivePsn, CmReq.RESPONDER_RESOURCES.get(req, offset),
            CmReq.INITIATOR_DEPTH.get(req, offset), CmReq.RETRY_COUNT.get(req, offset), CmReq.RNR_RETRY_COUNT.get(req, offset),
            CmTimes.limitedAckTimeoutCode(CmReq.LOCAL_ACK_TIMEOUT.get(req, offset)), CmReq.END_TO_END_FLOW_CONTROL.isSet(req, offset), 0,
            config.partitionKeys().indexFor(CmReq.PARTITION_KEY.get(req, offset)));
        return new IncomingRequest(origin, MadHeader.TRANSACTION_ID.get(req, offset), CommunicationIds.LOCAL.get(req, offset),
            CmReq.LOCAL_CA_GUID.get(req, offset), CmTimes.limitedResponseCode(CmReq.REMOTE_CM_RESPONSE_TIMEOUT.get(req, offset)),
            CmTimes.limitedResponseCode(CmReq.LOCAL_CM_RESPONSE_TIMEOUT.get(req, offset)), CmReq.MAX_CM_RETRIES.get(req, offset),
            CmaHeader.SOURCE_PORT.get(req, offset + CmaHeader.REQ_OFFSET), offer);
    }

    /** The retransmission interval of the REQ, if the peer computes it as Linux does. */
    long reqIntervalNs() {
        return CmTimes.requestIntervalNs(offer.ackTimeoutCode(), reqTimeoutCode);
    }

    PeerKey key() {
        return new PeerKey(PeerKey.Kind.COMMUNICATION_ID, origin.address(), caGuid, remoteId);
    }

    PeerKey queuePairKey() {
        return new PeerKey(PeerKey.Kind.QUEUE_PAIR, origin.address(), caGuid, offer.remoteQpn());
    }
}
