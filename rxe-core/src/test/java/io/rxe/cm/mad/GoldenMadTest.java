package io.rxe.cm.mad;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.rxe.wire.Gid;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Every MAD two kernel peers exchanged: decoded to the expected fields, and encoded to the same bytes. */
class GoldenMadTest {
    private static final Gid SERVER = Gid.parse("10.99.0.2");
    private static final Gid CLIENT = Gid.parse("10.99.0.3");

    private final List<GoldenMad> mads = GoldenMad.all();

    @Test
    void theCaptureHoldsOneConnectionAndOneResolution() {
        assertEquals(List.of(CmAttribute.REQ, CmAttribute.REP, CmAttribute.RTU, CmAttribute.DREQ, CmAttribute.DREP,
            CmAttribute.SIDR_REQ, CmAttribute.SIDR_REP), mads.stream().map(GoldenMad::attribute).toList());
        for (GoldenMad mad : mads) {
            assertEquals(MadVerdict.VALID, MadHeader.check(mad.buffer(), 0, MadHeader.MAD_LENGTH));
            assertEquals(280, mad.frame().length());
        }
    }

    @Test
    void headerFieldsAreThoseOfTheKernel() {
        for (GoldenMad mad : mads) {
            assertEquals(1, MadHeader.baseVersion(mad.buffer(), 0));
            assertEquals(7, MadHeader.managementClass(mad.buffer(), 0));
            assertEquals(2, MadHeader.classVersion(mad.buffer(), 0));
            assertEquals(3, MadHeader.method(mad.buffer(), 0));
            assertEquals(0, MadHeader.status(mad.buffer(), 0));
            assertEquals(0, MadHeader.classSpecific(mad.buffer(), 0));
            assertEquals(0, MadHeader.attributeModifier(mad.buffer(), 0));
        }
        assertEquals(0x0000_0002_3873_52B5L, MadHeader.transactionId(mads.get(0).buffer(), 0));
        assertEquals(0x0000_0002_3873_52B4L, MadHeader.transactionId(mads.get(6).buffer(), 0));
    }

    @Test
    void reqDecodesToTheFieldsRpingRequested() {
        DirectBuffer req = mads.get(0).buffer();
        assertEquals(0xB552_7338, CommunicationIds.local(req, 0));
        assertEquals(CmaHeader.serviceId(0x0106, 7174), CmReq.serviceId(req, 0));
        assertEquals(0x5054_00FF_FE12_3403L, CmReq.localCaGuid(req, 0));
        assertEquals(0x1F, CmReq.localQpn(req, 0));
        assertEquals(1, CmReq.responderResources(req, 0));
        assertEquals(1, CmReq.initiatorDepth(req, 0));
        assertEquals(20, CmReq.remoteCmResponseTimeout(req, 0));
        assertEquals(0, CmReq.transportServiceType(req, 0));
        assertFalse(CmReq.isEndToEndFlowControl(req, 0));
        assertEquals(0x61A1FA, CmReq.startingPsn(req, 0));
        assertEquals(20, CmReq.localCmResponseTimeout(req, 0));
        assertEquals(7, CmReq.retryCount(req, 0));
        assertEquals(0xFFFF, CmReq.partitionKey(req, 0));
        assertEquals(3, CmReq.pathMtu(req, 0));
        assertEquals(7, CmReq.rnrRetryCount(req, 0));
        assertEquals(15, CmReq.maxCmRetries(req, 0));
        assertFalse(CmReq.isSharedReceiveQueue(req, 0));
        assertEquals(0xFFFF, CmReq.primaryLocalLid(req, 0));
        assertEquals(0xFFFF, CmReq.primaryRemoteLid(req, 0));
        assertEquals(CLIENT, CmReq.primaryLocalGid(req, 0));
        assertEquals(SERVER, CmReq.primaryRemoteGid(req, 0));
        assertEquals(55292 * 31 + 7174 & 0xFFFFF, CmReq.flowLabel(req, 0));
        assertEquals(64, CmReq.hopLimit(req, 0));
        assertFalse(CmReq.isSubnetLocal(req, 0));
        assertEquals(19, CmReq.localAckTimeout(req, 0));
        assertFalse(CmReq.hasAlternatePath(req, 0));
        assertEquals(0, CmaHeader.version(req, CmaHeader.REQ_OFFSET));
        assertEquals(4, CmaHeader.ipVersion(req, CmaHeader.REQ_OFFSET));
        assertEquals(55292, CmaHeader.sourcePort(req, CmaHeader.REQ_OFFSET));
        assertEquals(CLIENT, CmaHeader.sourceAddress(req, CmaHeader.REQ_OFFSET));
        assertEquals(SERVER, CmaHeader.destinationAddress(req, CmaHeader.REQ_OFFSET));
    }

    @Test
    void repAndDreqDecodeToTheFieldsOfTheServer() {
        DirectBuffer rep = mads.get(1).buffer();
        assertEquals(0xE681_B7F8, CommunicationIds.local(rep, 0));
        assertEquals(0xB552_7338, CommunicationIds.remote(rep, 0));
        assertEquals(0x1F, CmRep.localQpn(rep, 0));
        assertEquals(0x9281F4, CmRep.startingPsn(rep, 0));
        assertEquals(1, CmRep.responderResources(rep, 0));
        assertEquals(1, CmRep.initiatorDepth(rep, 0));
        assertEquals(15, CmRep.targetAckDelay(rep, 0));
        assertEquals(0, CmRep.failoverAccepted(rep, 0));
        assertEquals(7, CmRep.rnrRetryCount(rep, 0));
        assertFalse(CmRep.isSharedReceiveQueue(rep, 0));
        assertEquals(0x5054_00FF_FE12_3402L, CmRep.localCaGuid(rep, 0));
        DirectBuffer dreq = mads.get(3).buffer();
        assertEquals(0x1F, CmDreq.remoteQpn(dreq, 0));
        DirectBuffer drep = mads.get(4).buffer();
        assertEquals(0xE681_B7F8, CommunicationIds.local(drep, 0));
    }

    @Test
    void sidrDecodesToTheFieldsOfUdaddy() {
        DirectBuffer sidrReq = mads.get(5).buffer();
        assertEquals(0xB452_7338, SidrReq.requestId(sidrReq, 0));
        assertEquals(0xFFFF, SidrReq.partitionKey(sidrReq, 0));
        assertEquals(CmaHeader.serviceId(0x0111, 7174), SidrReq.serviceId(sidrReq, 0));
        assertEquals(0x803E, CmaHeader.sourcePort(sidrReq, CmaHeader.SIDR_REQ_OFFSET));
        assertEquals(CLIENT, CmaHeader.sourceAddress(sidrReq, CmaHeader.SIDR_REQ_OFFSET));
        DirectBuffer answer = mads.get(6).buffer();
        assertEquals(0xB452_7338, SidrRep.requestId(answer, 0));
        assertEquals(SidrStatus.VALID, SidrStatus.of(SidrRep.status(answer, 0)));
        assertEquals(0x20, SidrRep.qpn(answer, 0));
        assertEquals(0x0123_4567, SidrRep.queueKey(answer, 0));
        assertEquals(CmaHeader.serviceId(0x0111, 7174), SidrRep.serviceId(answer, 0));
    }

    @Test
    void decodedFieldsEncodeToTheSameBytes() {
        for (GoldenMad mad : mads) {
            byte[] again = new byte[MadHeader.MAD_LENGTH];
            // Stale bytes in the buffer must be overwritten.
            Arrays.fill(again, (byte) 0xA5);
            UnsafeBuffer to = new UnsafeBuffer(again);
            MadHeader.write(to, 0, mad.attribute(), MadHeader.transactionId(mad.buffer(), 0));
            encode(mad.attribute(), mad.buffer(), to);
            assertArrayEquals(mad.buffer().byteArray(), again, mad.frame().toString());
        }
    }

    private static void encode(CmAttribute attribute, DirectBuffer from, UnsafeBuffer to) {
        switch (attribute) {
            case REQ -> encodeReq(from, to);
            case REP -> encodeRep(from, to);
            case RTU -> {
                ids(from, to);
                CmRtu.privateData(to, 0, CmRtu.privateData(from, 0));
            }
            case DREQ -> {
                ids(from, to);
                CmDreq.remoteQpn(to, 0, CmDreq.remoteQpn(from, 0));
                CmDreq.privateData(to, 0, CmDreq.privateData(from, 0));
            }
            case DREP -> {
                ids(from, to);
                CmDrep.privateData(to, 0, CmDrep.privateData(from, 0));
            }
            case SIDR_REQ -> {
                SidrReq.requestId(to, 0, SidrReq.requestId(from, 0));
                SidrReq.partitionKey(to, 0, SidrReq.partitionKey(from, 0));
                SidrReq.serviceId(to, 0, SidrReq.serviceId(from, 0));
                SidrReq.privateData(to, 0, SidrReq.privateData(from, 0));
                header(from, to, CmaHeader.SIDR_REQ_OFFSET);
            }
            case SIDR_REP -> {
                SidrRep.requestId(to, 0, SidrRep.requestId(from, 0));
                SidrRep.status(to, 0, SidrRep.status(from, 0));
                SidrRep.informationLength(to, 0, SidrRep.informationLength(from, 0));
                SidrRep.qpn(to, 0, SidrRep.qpn(from, 0));
                SidrRep.serviceId(to, 0, SidrRep.serviceId(from, 0));
                SidrRep.queueKey(to, 0, SidrRep.queueKey(from, 0));
                SidrRep.privateData(to, 0, SidrRep.privateData(from, 0));
            }
            case MRA, REJ, LAP, APR -> throw new AssertionError(attribute + " is not in the capture");
        }
    }

    private static void ids(DirectBuffer from, UnsafeBuffer to) {
        CommunicationIds.write(to, 0, CommunicationIds.local(from, 0), CommunicationIds.remote(from, 0));
    }

    private static void header(DirectBuffer from, UnsafeBuffer to, int at) {
        CmaHeader.write(to, at, CmaHeader.sourceAddress(from, at), CmaHeader.destinationAddress(from, at),
            CmaHeader.sourcePort(from, at));
    }

    private static void encodeReq(DirectBuffer from, UnsafeBuffer to) {
        ids(from, to);
        CmReq.serviceId(to, 0, CmReq.serviceId(from, 0));
        CmReq.localCaGuid(to, 0, CmReq.localCaGuid(from, 0));
        CmReq.localQueueKey(to, 0, CmReq.localQueueKey(from, 0));
        CmReq.localQpn(to, 0, CmReq.localQpn(from, 0));
        CmReq.responderResources(to, 0, CmReq.responderResources(from, 0));
        CmReq.initiatorDepth(to, 0, CmReq.initiatorDepth(from, 0));
        CmReq.remoteCmResponseTimeout(to, 0, CmReq.remoteCmResponseTimeout(from, 0));
        CmReq.transportServiceType(to, 0, CmReq.transportServiceType(from, 0));
        CmReq.endToEndFlowControl(to, 0, CmReq.isEndToEndFlowControl(from, 0));
        CmReq.startingPsn(to, 0, CmReq.startingPsn(from, 0));
        CmReq.localCmResponseTimeout(to, 0, CmReq.localCmResponseTimeout(from, 0));
        CmReq.retryCount(to, 0, CmReq.retryCount(from, 0));
        CmReq.partitionKey(to, 0, CmReq.partitionKey(from, 0));
        CmReq.pathMtu(to, 0, CmReq.pathMtu(from, 0));
        CmReq.reliableDatagramChannel(to, 0, CmReq.isReliableDatagramChannel(from, 0));
        CmReq.rnrRetryCount(to, 0, CmReq.rnrRetryCount(from, 0));
        CmReq.maxCmRetries(to, 0, CmReq.maxCmRetries(from, 0));
        CmReq.sharedReceiveQueue(to, 0, CmReq.isSharedReceiveQueue(from, 0));
        CmReq.extendedTransport(to, 0, CmReq.extendedTransport(from, 0));
        CmReq.primaryLocalLid(to, 0, CmReq.primaryLocalLid(from, 0));
        CmReq.primaryRemoteLid(to, 0, CmReq.primaryRemoteLid(from, 0));
        CmReq.primaryLocalGid(to, 0, CmReq.primaryLocalGid(from, 0));
        CmReq.primaryRemoteGid(to, 0, CmReq.primaryRemoteGid(from, 0));
        CmReq.flowLabel(to, 0, CmReq.flowLabel(from, 0));
        CmReq.packetRate(to, 0, CmReq.packetRate(from, 0));
        CmReq.trafficClass(to, 0, CmReq.trafficClass(from, 0));
        CmReq.hopLimit(to, 0, CmReq.hopLimit(from, 0));
        CmReq.serviceLevel(to, 0, CmReq.serviceLevel(from, 0));
        CmReq.subnetLocal(to, 0, CmReq.isSubnetLocal(from, 0));
        CmReq.localAckTimeout(to, 0, CmReq.localAckTimeout(from, 0));
        CmReq.privateData(to, 0, CmReq.privateData(from, 0));
        header(from, to, CmaHeader.REQ_OFFSET);
    }

    private static void encodeRep(DirectBuffer from, UnsafeBuffer to) {
        ids(from, to);
        CmRep.localQueueKey(to, 0, CmRep.localQueueKey(from, 0));
        CmRep.localQpn(to, 0, CmRep.localQpn(from, 0));
        CmRep.startingPsn(to, 0, CmRep.startingPsn(from, 0));
        CmRep.responderResources(to, 0, CmRep.responderResources(from, 0));
        CmRep.initiatorDepth(to, 0, CmRep.initiatorDepth(from, 0));
        CmRep.targetAckDelay(to, 0, CmRep.targetAckDelay(from, 0));
        CmRep.failoverAccepted(to, 0, CmRep.failoverAccepted(from, 0));
        CmRep.endToEndFlowControl(to, 0, CmRep.isEndToEndFlowControl(from, 0));
        CmRep.rnrRetryCount(to, 0, CmRep.rnrRetryCount(from, 0));
        CmRep.sharedReceiveQueue(to, 0, CmRep.isSharedReceiveQueue(from, 0));
        CmRep.localCaGuid(to, 0, CmRep.localCaGuid(from, 0));
        CmRep.privateData(to, 0, CmRep.privateData(from, 0));
    }
}
