package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.SidrReq;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import org.agrona.MutableDirectBuffer;

/**
 * What a REQ or SIDR_REQ of this side says.
 *
 * @param peer            address of the peer.
 * @param serviceId       port space and port of the service: {@code rdma_port_space << 16 | port}.
 * @param sourcePort      our port as the peer sees it, 1 to 65535, or 0 = a random one.
 * @param type            RC, UC or XRC_SEND for a connection, UD for a datagram service.
 * @param queuePairNumber of our queue pair; 0 for a datagram service.
 * @param terms           what this side requests. Private data must fit into the message, behind {@link CmaHeader}.
 */
public record ConnectRequest(Gid peer, long serviceId, int sourcePort, QueuePairType type, int queuePairNumber, RequestedTerms terms) {
    /** LID of a port without one, as Linux writes it on RoCE. */
    private static final int PERMISSIVE_LID = 0xFFFF;
    private static final int HOP_LIMIT = 64;

    /** Port of a service ID. */
    static int port(long serviceId) {
        return (int) serviceId & 0xFFFF;
    }

    /** The service for users: port space, port and address. */
    String target() {
        return (type == QueuePairType.UD ? "UDP" : "TCP") + " port " + port(serviceId) + " at " + peer.address();
    }

    /** Destination of the data. */
    AddressVector addressVector(CmConfig config) {
        return new AddressVector(peer, config.udpPort(), terms.trafficClass(), HOP_LIMIT);
    }

    ConnectRequest withSourcePort(int port) {
        return new ConnectRequest(peer, serviceId, port, type, queuePairNumber, terms);
    }

    PathMtu pathMtu(CmConfig config) {
        return terms.pathMtu() == null ? config.portMtu() : terms.pathMtu();
    }

    int partitionKey(CmConfig config) {
        return config.partitionKeys().key(terms.partitionKeyIndex());
    }

    /** Transport timer for the peer: twice the packet life time plus our ACK delay, unless the application set one (rule T10). */
    int ackTimeoutCode(CmConfig config) {
        return terms.ackTimeoutCode() != 0 ? terms.ackTimeoutCode()
            : CmTimes.ackTimeoutCode(config.packetLifeTimeCode(), config.ackDelayCode());
    }

    /** Writes a REQ, byte for byte as rdma_cm of Linux writes it on RoCE. */
    void writeReq(MutableDirectBuffer to, long transactionId, int localId, int startingPsn, CmConfig config) {
        MadHeader.write(to, 0, CmAttribute.REQ, transactionId);
        CommunicationIds.write(to, 0, localId, 0);
        CmReq.SERVICE_ID.set(to, 0, serviceId);
        CmReq.LOCAL_CA_GUID.set(to, 0, config.caGuid());
        CmReq.LOCAL_QPN.set(to, 0, queuePairNumber);
        CmReq.INITIATOR_DEPTH.set(to, 0, terms.initiatorDepth());
        CmReq.REMOTE_CM_RESPONSE_TIMEOUT.set(to, 0, config.responseTimeoutCode());
        CmTransport.write(to, 0, type);
        CmReq.STARTING_PSN.set(to, 0, startingPsn);
        CmReq.LOCAL_CM_RESPONSE_TIMEOUT.set(to, 0, config.responseTimeoutCode());
        CmReq.PARTITION_KEY.set(to, 0, partitionKey(config));
        CmReq.PATH_MTU.set(to, 0, pathMtu(config).code());
        CmReq.MAX_CM_RETRIES.set(to, 0, config.maxRetries());
        CmReq.PRIMARY_LOCAL_LID.set(to, 0, PERMISSIVE_LID);
        CmReq.PRIMARY_REMOTE_LID.set(to, 0, PERMISSIVE_LID);
        CmReq.PRIMARY_LOCAL_GID.set(to, 0, config.gid());
        CmReq.PRIMARY_REMOTE_GID.set(to, 0, peer);
        CmReq.FLOW_LABEL.set(to, 0, sourcePort * 31 + port(serviceId));
        CmReq.TRAFFIC_CLASS.set(to, 0, terms.trafficClass());
        CmReq.HOP_LIMIT.set(to, 0, HOP_LIMIT);
        CmReq.LOCAL_ACK_TIMEOUT.set(to, 0, ackTimeoutCode(config));
        CmReq.PRIVATE_DATA.set(to, 0, behindHeader());
        CmaHeader.write(to, CmaHeader.REQ_OFFSET, config.gid(), peer, sourcePort);
        if (type != QueuePairType.XRC_SEND) {
            writeResponder(to);
        }
    }

    /** What an XRC initiator leaves 0, because it serves no requests and its peer sends none. */
    private void writeResponder(MutableDirectBuffer to) {
        CmReq.RESPONDER_RESOURCES.set(to, 0, terms.responderResources());
        CmReq.RETRY_COUNT.set(to, 0, terms.retryCount());
        CmReq.RNR_RETRY_COUNT.set(to, 0, terms.rnrRetry());
        CmReq.END_TO_END_FLOW_CONTROL.set(to, 0, type == QueuePairType.RC && terms.endToEndCredits());
        CmReq.SHARED_RECEIVE_QUEUE.set(to, 0, terms.sharedReceiveQueue());
    }

    /** Writes a SIDR_REQ, byte for byte as rdma_cm of Linux writes it on RoCE. */
    void writeSidrReq(MutableDirectBuffer to, long transactionId, int requestId, CmConfig config) {
        MadHeader.write(to, 0, CmAttribute.SIDR_REQ, transactionId);
        SidrReq.REQUEST_ID.set(to, 0, requestId);
        SidrReq.PARTITION_KEY.set(to, 0, partitionKey(config));
        SidrReq.SERVICE_ID.set(to, 0, serviceId);
        SidrReq.PRIVATE_DATA.set(to, 0, behindHeader());
        CmaHeader.write(to, CmaHeader.SIDR_REQ_OFFSET, config.gid(), peer, sourcePort);
    }

    /** The private data with room for the header of rdma_cm in front. */
    private byte[] behindHeader() {
        byte[] data = terms.privateData();
        byte[] area = new byte[CmaHeader.LENGTH + data.length];
        System.arraycopy(data, 0, area, CmaHeader.LENGTH, data.length);
        return area;
    }
}
