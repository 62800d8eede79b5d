package io.rxe.cm;

import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmMra;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrReq;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import org.agrona.concurrent.UnsafeBuffer;

/** Messages of an attacker: well-formed, for a listener on TCP or UDP port 7174, with the longest times the fields can name. */
final class Forged {
    static final long GUID = 0x0266L;
    private static final int LONGEST = 31;

    private Forged() {
    }

    /** Address number {@code index} of many. */
    static Gid source(int index) {
        return Gid.ofIpv4(0x0B00_0001 + index);
    }

    static UnsafeBuffer message(CmAttribute attribute, long transactionId, int localId, int remoteId) {
        UnsafeBuffer mad = new UnsafeBuffer(new byte[MadHeader.MAD_LENGTH]);
        MadHeader.write(mad, 0, attribute, transactionId);
        CommunicationIds.write(mad, 0, localId, remoteId);
        return mad;
    }

    /** A REQ with transaction ID, communication ID and queue pair number {@code id}. */
    static UnsafeBuffer req(Gid source, Gid target, int id) {
        UnsafeBuffer req = message(CmAttribute.REQ, id, id, 0);
        CmReq.serviceId(req, 0, PortSpace.TCP.serviceId(CmPair.PORT));
        CmReq.localCaGuid(req, 0, GUID);
        CmReq.localQpn(req, 0, id & 0xFF_FFFF);
        CmReq.remoteCmResponseTimeout(req, 0, LONGEST);
        CmReq.localCmResponseTimeout(req, 0, LONGEST);
        CmReq.localAckTimeout(req, 0, LONGEST);
        CmReq.maxCmRetries(req, 0, 15);
        CmReq.pathMtu(req, 0, PathMtu.MTU_1024.code());
        CmReq.primaryLocalGid(req, 0, source);
        CmReq.primaryRemoteGid(req, 0, target);
        CmaHeader.write(req, CmaHeader.REQ_OFFSET, source, target, 5);
        return req;
    }

    /** The REJ that cancels {@link #req}, by a peer that does not know our communication ID. */
    static UnsafeBuffer cancel(int id) {
        UnsafeBuffer rej = message(CmAttribute.REJ, id, id, 0);
        CmRej.message(rej, 0, AnsweredMessage.REQ);
        CmRej.reason(rej, 0, RejectReason.TIMEOUT.code());
        CmRej.informationGuid(rej, 0, GUID);
        return rej;
    }

    /** An MRA for a REP. */
    static UnsafeBuffer mra(int id, int remoteId) {
        UnsafeBuffer mra = message(CmAttribute.MRA, id, id, remoteId);
        CmMra.message(mra, 0, AnsweredMessage.REP);
        CmMra.serviceTimeout(mra, 0, LONGEST);
        return mra;
    }

    static UnsafeBuffer sidrReq(Gid source, Gid target, int id) {
        UnsafeBuffer req = new UnsafeBuffer(new byte[MadHeader.MAD_LENGTH]);
        MadHeader.write(req, 0, CmAttribute.SIDR_REQ, id);
        SidrReq.requestId(req, 0, id);
        SidrReq.serviceId(req, 0, PortSpace.UDP.serviceId(CmPair.PORT));
        CmaHeader.write(req, CmaHeader.SIDR_REQ_OFFSET, source, target, 5);
        return req;
    }
}
