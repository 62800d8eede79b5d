package io.rxe.cm;

import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmDreq;
import io.rxe.cm.mad.CmMra;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrRep;
import io.rxe.cm.mad.SidrStatus;
import org.agrona.MutableDirectBuffer;

/** Writes the messages that need little more than IDs. Each fills all 256 bytes from offset 0. */
final class Messages {
    /** Service timeout of our MRAs: 2^24 x 4.096 us = 69 s, as rdma_cm has it. */
    static final int SERVICE_TIMEOUT_CODE = 24;

    private Messages() {
    }

    private static void begin(MutableDirectBuffer to, CmAttribute attribute, long transactionId, int localId, int remoteId) {
        MadHeader.write(to, 0, attribute, transactionId);
        CommunicationIds.write(to, 0, localId, remoteId);
    }

    static void ready(MutableDirectBuffer to, long transactionId, int localId, int remoteId) {
        begin(to, CmAttribute.RTU, transactionId, localId, remoteId);
    }

    static void receipt(MutableDirectBuffer to, long transactionId, int localId, int remoteId, AnsweredMessage message) {
        begin(to, CmAttribute.MRA, transactionId, localId, remoteId);
        CmMra.message(to, 0, message);
        CmMra.serviceTimeout(to, 0, SERVICE_TIMEOUT_CODE);
    }

    static void rejection(MutableDirectBuffer to, long transactionId, int localId, int remoteId, AnsweredMessage message,
        RejectReason reason) {
        begin(to, CmAttribute.REJ, transactionId, localId, remoteId);
        CmRej.message(to, 0, message);
        CmRej.reason(to, 0, reason.code());
    }

    /** A rejection because of time names the adapter, so that a peer that does not know our ID finds the connection by its own. */
    static void timeout(MutableDirectBuffer to, long transactionId, int localId, int remoteId, AnsweredMessage message, long caGuid) {
        rejection(to, transactionId, localId, remoteId, message, RejectReason.TIMEOUT);
        CmRej.informationGuid(to, 0, caGuid);
    }

    static void disconnectRequest(MutableDirectBuffer to, long transactionId, int localId, int remoteId, int remoteQpn) {
        begin(to, CmAttribute.DREQ, transactionId, localId, remoteId);
        CmDreq.remoteQpn(to, 0, remoteQpn);
    }

    static void disconnectReply(MutableDirectBuffer to, long transactionId, int localId, int remoteId) {
        begin(to, CmAttribute.DREP, transactionId, localId, remoteId);
    }

    static void serviceReply(MutableDirectBuffer to, long transactionId, int requestId, long serviceId, SidrStatus status) {
        MadHeader.write(to, 0, CmAttribute.SIDR_REP, transactionId);
        SidrRep.requestId(to, 0, requestId);
        SidrRep.status(to, 0, status.code());
        SidrRep.serviceId(to, 0, serviceId);
    }
}
