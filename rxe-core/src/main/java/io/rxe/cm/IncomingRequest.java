package io.rxe.cm;

import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/**
 * A REQ taken apart, after its checks.
 *
 * @param source           where the MAD came from.
 * @param transactionId    to be echoed.
 * @param remoteId         the peer's communication ID.
 * @param caGuid           the peer's adapter.
 * @param requestTimeout   time code within which the peer expects our answer.
 * @param replyTimeout     time code within which the peer answers ours.
 * @param maxRetries       times either side repeats itself.
 * @param sourcePort       port of the asker.
 * @param offer            the terms this gives us if we want all we are offered; crossed over to our side.
 */
record IncomingRequest(Gid source, long transactionId, int remoteId, long caGuid, int requestTimeout, int replyTimeout, int maxRetries,
                       int sourcePort, ConnectionTerms offer) {
    private static final int UC = 1;
    private static final int DEFAULT_HOP_LIMIT = 64;

    static IncomingRequest of(DirectBuffer req, int offset, Gid source, int udpPort, int receivePsn) {
        int hopLimit = CmReq.hopLimit(req, offset);
        AddressVector peer = new AddressVector(CmReq.primaryLocalGid(req, offset), udpPort, CmReq.trafficClass(req, offset),
            hopLimit == 0 ? DEFAULT_HOP_LIMIT : hopLimit);
        QueuePairType type = CmReq.transportServiceType(req, offset) == UC ? QueuePairType.UC : QueuePairType.RC;
        ConnectionTerms offer = new ConnectionTerms(type, peer, PathMtu.ofCode(CmReq.pathMtu(req, offset)),
            CmReq.localQpn(req, offset), CmReq.startingPsn(req, offset), receivePsn, CmReq.responderResources(req, offset),
            CmReq.initiatorDepth(req, offset), CmReq.retryCount(req, offset), CmReq.rnrRetryCount(req, offset),
            CmReq.localAckTimeout(req, offset), 0);
        return new IncomingRequest(source, MadHeader.transactionId(req, offset), CommunicationIds.local(req, offset),
            CmReq.localCaGuid(req, offset), CmReq.remoteCmResponseTimeout(req, offset), CmReq.localCmResponseTimeout(req, offset),
            CmReq.maxCmRetries(req, offset), CmaHeader.sourcePort(req, offset + CmaHeader.REQ_OFFSET), offer);
    }

    /** How long the peer waits before it repeats its REQ, as well as we can know. */
    long requestIntervalNs() {
        return 2 * CmTimes.timeoutNs(CmTimes.packetLifeTimeCode(offer.ackTimeoutCode())) + CmTimes.timeoutNs(requestTimeout);
    }

    PeerKey key() {
        return new PeerKey(PeerKey.Kind.COMMUNICATION_ID, source, caGuid, remoteId);
    }

    PeerKey queuePairKey() {
        return new PeerKey(PeerKey.Kind.QUEUE_PAIR, source, caGuid, offer.remoteQpn());
    }
}
