package io.rxe.cm;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.SidrReq;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import org.agrona.MutableDirectBuffer;

/**
 * Whom an application wants to reach, and how.
 *
 * @param peer            address of the peer.
 * @param portSpace       TCP for a connection, UDP for a datagram service.
 * @param port            of the service.
 * @param sourcePort      what the peer is told as our port.
 * @param type            of the queue pair; UD for a datagram service.
 * @param queuePairNumber of ours; 0 for a datagram service.
 * @param parameters      the rest; not changed while the request runs.
 */
record ConnectRequest(Gid peer, PortSpace portSpace, int port, int sourcePort, QueuePairType type, int queuePairNumber,
                      ConnectParameters parameters) {
    /** Marks that a port has no LID, as Linux has it on RoCE. */
    private static final int PERMISSIVE_LID = 0xFFFF;
    private static final int HOP_LIMIT = 64;
    private static final int UC = 1;

    long timeoutNs() {
        return parameters.timeoutNs();
    }

    PathMtu pathMtu(CmConfig config) {
        return parameters.pathMtu() == null ? config.portMtu() : parameters.pathMtu();
    }

    /** Transport timer the peer shall use: twice the packet life time and our ACK delay (rule T10). */
    int ackTimeoutCode(CmConfig config) {
        return parameters.ackTimeoutCode() != 0 ? parameters.ackTimeoutCode()
            : CmTimes.ackTimeoutCode(config.packetLifeTimeCode(), config.ackDelayCode());
    }

    /** Writes a REQ, byte for byte as rdma_cm of Linux does on RoCE. */
    void write(MutableDirectBuffer to, long transactionId, int localId, int startingPsn, CmConfig config) {
        MadHeader.write(to, 0, CmAttribute.REQ, transactionId);
        CommunicationIds.write(to, 0, localId, 0);
        CmReq.serviceId(to, 0, portSpace.serviceId(port));
        CmReq.localCaGuid(to, 0, config.caGuid());
        CmReq.localQpn(to, 0, queuePairNumber);
        CmReq.responderResources(to, 0, parameters.responderResources());
        CmReq.initiatorDepth(to, 0, parameters.initiatorDepth());
        CmReq.remoteCmResponseTimeout(to, 0, config.responseTimeoutCode());
        CmReq.transportServiceType(to, 0, type == QueuePairType.UC ? UC : 0);
        CmReq.startingPsn(to, 0, startingPsn);
        CmReq.localCmResponseTimeout(to, 0, config.responseTimeoutCode());
        CmReq.retryCount(to, 0, parameters.retryCount());
        CmReq.partitionKey(to, 0, Bth.DEFAULT_PARTITION_KEY);
        CmReq.pathMtu(to, 0, pathMtu(config).code());
        CmReq.rnrRetryCount(to, 0, parameters.rnrRetry());
        CmReq.maxCmRetries(to, 0, config.maxRetries());
        CmReq.sharedReceiveQueue(to, 0, parameters.isSharedReceiveQueue());
        CmReq.primaryLocalLid(to, 0, PERMISSIVE_LID);
        CmReq.primaryRemoteLid(to, 0, PERMISSIVE_LID);
        CmReq.primaryLocalGid(to, 0, config.gid());
        CmReq.primaryRemoteGid(to, 0, peer);
        CmReq.flowLabel(to, 0, sourcePort * 31 + port);
        CmReq.hopLimit(to, 0, HOP_LIMIT);
        CmReq.localAckTimeout(to, 0, ackTimeoutCode(config));
        CmReq.privateData(to, 0, behindHeader(CmaHeader.REQ_PRIVATE_DATA_LENGTH, "REQ"));
        CmaHeader.write(to, CmaHeader.REQ_OFFSET, config.gid(), peer, sourcePort);
    }

    /** Writes a SIDR_REQ. */
    void writeResolution(MutableDirectBuffer to, long transactionId, int requestId, CmConfig config) {
        MadHeader.write(to, 0, CmAttribute.SIDR_REQ, transactionId);
        SidrReq.requestId(to, 0, requestId);
        SidrReq.partitionKey(to, 0, Bth.DEFAULT_PARTITION_KEY);
        SidrReq.serviceId(to, 0, portSpace.serviceId(port));
        SidrReq.privateData(to, 0, behindHeader(CmaHeader.SIDR_REQ_PRIVATE_DATA_LENGTH, "SIDR_REQ"));
        CmaHeader.write(to, CmaHeader.SIDR_REQ_OFFSET, config.gid(), peer, sourcePort);
    }

    private byte[] behindHeader(int limit, String message) {
        byte[] data = parameters.privateData();
        if (data.length > limit) {
            throw new IllegalArgumentException("private data of " + data.length + " bytes > " + limit + " of a " + message
                + ": send less here and the rest over the connection");
        }
        byte[] area = new byte[CmaHeader.LENGTH + data.length];
        System.arraycopy(data, 0, area, CmaHeader.LENGTH, data.length);
        return area;
    }
}
