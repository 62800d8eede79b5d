package io.rxe.cm.exchange;

import io.rxe.cm.mad.AlternatePathStatus;
import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmApr;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmDreq;
import io.rxe.cm.mad.CmLap;
import io.rxe.cm.mad.CmMra;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrRep;
import io.rxe.cm.mad.SidrStatus;
import org.agrona.MutableDirectBuffer;

/** Writes the messages that hold little more than IDs. Each method fills all 256 bytes from offset 0. */
final class CmMessageWriter {
    private CmMessageWriter() {
    }

    private static void begin(MutableDirectBuffer to, CmAttribute attribute, long transactionId, int localId, int remoteId) {
        MadHeader.write(to, 0, attribute, transactionId);
        CommunicationIds.write(to, 0, localId, remoteId);
    }

    static void rtu(MutableDirectBuffer to, long transactionId, int localId, int remoteId) {
        begin(to, CmAttribute.RTU, transactionId, localId, remoteId);
    }

    static void mra(MutableDirectBuffer to, long transactionId, int localId, int remoteId, AnsweredMessage received) {
        begin(to, CmAttribute.MRA, transactionId, localId, remoteId);
        CmMra.MESSAGE.set(to, 0, received.code());
        CmMra.SERVICE_TIMEOUT.set(to, 0, CmTimes.SERVICE_TIMEOUT_CODE);
    }

    static void rej(MutableDirectBuffer to, long transactionId, int localId, int remoteId, AnsweredMessage rejected, RejectReason reason) {
        begin(to, CmAttribute.REJ, transactionId, localId, remoteId);
        CmRej.MESSAGE.set(to, 0, rejected.code());
        CmRej.REASON.set(to, 0, reason.code());
    }

    static void dreq(MutableDirectBuffer to, long transactionId, int localId, int remoteId, int remoteQpn) {
        begin(to, CmAttribute.DREQ, transactionId, localId, remoteId);
        CmDreq.REMOTE_QPN.set(to, 0, remoteQpn);
    }

    static void drep(MutableDirectBuffer to, long transactionId, int localId, int remoteId) {
        begin(to, CmAttribute.DREP, transactionId, localId, remoteId);
    }

    /** The caller adds the path. */
    static void lap(MutableDirectBuffer to, long transactionId, int localId, int remoteId, int remoteQpn) {
        begin(to, CmAttribute.LAP, transactionId, localId, remoteId);
        CmLap.writeFixed(to, 0);
        CmLap.REMOTE_QPN.set(to, 0, remoteQpn);
    }

    static void apr(MutableDirectBuffer to, long transactionId, int localId, int remoteId, AlternatePathStatus status) {
        begin(to, CmAttribute.APR, transactionId, localId, remoteId);
        CmApr.STATUS.set(to, 0, status.code());
    }

    static void sidrRep(MutableDirectBuffer to, long transactionId, int requestId, long serviceId, SidrStatus status) {
        MadHeader.write(to, 0, CmAttribute.SIDR_REP, transactionId);
        SidrRep.REQUEST_ID.set(to, 0, requestId);
        SidrRep.STATUS.set(to, 0, status.code());
        SidrRep.SERVICE_ID.set(to, 0, serviceId);
    }
}
