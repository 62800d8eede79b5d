package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/**
 * The fields of a REQ that passed its checks. Times are limited, see {@link CmTimes}: anybody can send a REQ, and what it names decides
 * how long its exchange lives.
 *
 * @param source         source address of the MAD.
 * @param transactionId  of the REQ; REP, MRA and REJ echo it.
 * @param remoteId       communication ID of the peer.
 * @param caGuid         GUID of the peer's adapter.
 * @param reqTimeoutCode time code within which the peer expects our reply (remote CM response timeout).
 * @param repTimeoutCode time code within which the peer replies to our REP (local CM response timeout).
 * @param maxRetries     retransmissions of an unanswered message on either side, 0 to 15.
 * @param sourcePort     port the requester claims to come from.
 * @param offer          the most the peer offers, crossed over to this side.
 */
record IncomingRequest(Gid source, long transactionId, int remoteId, long caGuid, int reqTimeoutCode, int repTimeoutCode, int maxRetries,
                       int sourcePort, ConnectionTerms offer) {
    private static final int DEFAULT_HOP_LIMIT = 64;

    static IncomingRequest of(DirectBuffer req, int offset, Gid source, int udpPort, int receivePsn) {
        int hopLimit = CmReq.hopLimit(req, offset);
        AddressVector peer = new AddressVector(CmReq.primaryLocalGid(req, offset), udpPort, CmReq.trafficClass(req, offset),
            hopLimit == 0 ? DEFAULT_HOP_LIMIT : hopLimit);
        ConnectionTerms offer = new ConnectionTerms(CmTransport.accepting(req, offset), peer, PathMtu.ofCode(CmReq.pathMtu(req, offset)),
            CmReq.localQpn(req, offset), CmReq.startingPsn(req, offset), receivePsn, CmReq.responderResources(req, offset),
            CmReq.initiatorDepth(req, offset), CmReq.retryCount(req, offset), CmReq.rnrRetryCount(req, offset),
            CmTimes.limitedAckTimeoutCode(CmReq.localAckTimeout(req, offset)), CmReq.isEndToEndFlowControl(req, offset), 0);
        return new IncomingRequest(source, MadHeader.transactionId(req, offset), CommunicationIds.local(req, offset),
            CmReq.localCaGuid(req, offset), CmTimes.limitedResponseCode(CmReq.remoteCmResponseTimeout(req, offset)),
            CmTimes.limitedResponseCode(CmReq.localCmResponseTimeout(req, offset)), CmReq.maxCmRetries(req, offset),
            CmaHeader.sourcePort(req, offset + CmaHeader.REQ_OFFSET), offer);
    }

    /** The retransmission interval of the REQ, if the peer computes it as Linux does. */
    long reqIntervalNs() {
        return CmTimes.requestIntervalNs(offer.ackTimeoutCode(), reqTimeoutCode);
    }

    PeerKey key() {
        return new PeerKey(PeerKey.Kind.COMMUNICATION_ID, source, caGuid, remoteId);
    }

    PeerKey queuePairKey() {
        return new PeerKey(PeerKey.Kind.QUEUE_PAIR, source, caGuid, offer.remoteQpn());
    }
}
