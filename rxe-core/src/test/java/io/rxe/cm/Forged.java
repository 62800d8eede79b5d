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
import io.rxe.wire.Bth;
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
        CmReq.SERVICE_ID.set(req, 0, PortSpace.TCP.serviceId(CmPair.PORT));
        CmReq.LOCAL_CA_GUID.set(req, 0, GUID);
        CmReq.LOCAL_QPN.set(req, 0, id & 0xFF_FFFF);
        CmReq.REMOTE_CM_RESPONSE_TIMEOUT.set(req, 0, LONGEST);
        CmReq.LOCAL_CM_RESPONSE_TIMEOUT.set(req, 0, LONGEST);
        CmReq.LOCAL_ACK_TIMEOUT.set(req, 0, LONGEST);
        CmReq.MAX_CM_RETRIES.set(req, 0, 15);
        CmReq.PARTITION_KEY.set(req, 0, Bth.DEFAULT_PARTITION_KEY);
        CmReq.PATH_MTU.set(req, 0, PathMtu.MTU_1024.code());
        CmReq.PRIMARY_LOCAL_GID.set(req, 0, source);
        CmReq.PRIMARY_REMOTE_GID.set(req, 0, target);
        CmaHeader.write(req, CmaHeader.REQ_OFFSET, source, target, 5);
        return req;
    }

    /** The REJ that cancels {@link #req}, by a peer that does not know our communication ID. */
    static UnsafeBuffer cancel(int id) {
        UnsafeBuffer rej = message(CmAttribute.REJ, id, id, 0);
        CmRej.MESSAGE.set(rej, 0, AnsweredMessage.REQ.code());
        CmRej.REASON.set(rej, 0, RejectReason.TIMEOUT.code());
        CmRej.informationGuid(rej, 0, GUID);
        return rej;
    }

    /** An MRA for a REP. */
    static UnsafeBuffer mra(int id, int remoteId) {
        UnsafeBuffer mra = message(CmAttribute.MRA, id, id, remoteId);
        CmMra.MESSAGE.set(mra, 0, AnsweredMessage.REP.code());
        CmMra.SERVICE_TIMEOUT.set(mra, 0, LONGEST);
        return mra;
    }

    static UnsafeBuffer sidrReq(Gid source, Gid target, int id) {
        UnsafeBuffer req = new UnsafeBuffer(new byte[MadHeader.MAD_LENGTH]);
        MadHeader.write(req, 0, CmAttribute.SIDR_REQ, id);
        SidrReq.REQUEST_ID.set(req, 0, id);
        SidrReq.PARTITION_KEY.set(req, 0, Bth.DEFAULT_PARTITION_KEY);
        SidrReq.SERVICE_ID.set(req, 0, PortSpace.UDP.serviceId(CmPair.PORT));
        CmaHeader.write(req, CmaHeader.SIDR_REQ_OFFSET, source, target, 5);
        return req;
    }
}
