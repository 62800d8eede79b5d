package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmReq;
import io.rxe.verbs.QueuePairType;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** The transport a REQ names: the service type, and behind type 3 the extended transport (rule X6). */
final class CmTransport {
    private static final int RC = 0;
    private static final int UC = 1;
    private static final int EXTENDED = 3;
    private static final int XRC = 1;

    private CmTransport() {
    }

    /** Writes the transport of the requester's queue pair. */
    static void write(MutableDirectBuffer req, int offset, QueuePairType type) {
        CmReq.TRANSPORT_SERVICE_TYPE.set(req, offset, switch (type) {
            case UC -> UC;
            case XRC_SEND -> EXTENDED;
            case RC, UD, XRC_RECV -> RC;
        });
        CmReq.EXTENDED_TRANSPORT.set(req, offset, type == QueuePairType.XRC_SEND ? XRC : 0);
    }

    /** The type of queue pair that the receiver of a REQ needs; null for a transport that is not served. */
    static QueuePairType accepting(DirectBuffer req, int offset) {
        return switch (CmReq.TRANSPORT_SERVICE_TYPE.get(req, offset)) {
            case RC -> QueuePairType.RC;
            case UC -> QueuePairType.UC;
            case EXTENDED -> CmReq.EXTENDED_TRANSPORT.get(req, offset) == XRC ? QueuePairType.XRC_RECV : null;
            default -> null;
        };
    }
}
