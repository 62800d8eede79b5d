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
            assertEquals(1, MadHeader.BASE_VERSION.get(mad.buffer(), 0));
            assertEquals(7, MadHeader.MANAGEMENT_CLASS.get(mad.buffer(), 0));
            assertEquals(2, MadHeader.CLASS_VERSION.get(mad.buffer(), 0));
            assertEquals(3, MadHeader.METHOD.get(mad.buffer(), 0));
            assertEquals(0, MadHeader.STATUS.get(mad.buffer(), 0));
            assertEquals(0, MadHeader.CLASS_SPECIFIC.get(mad.buffer(), 0));
            assertEquals(0, MadHeader.ATTRIBUTE_MODIFIER.get(mad.buffer(), 0));
        }
        assertEquals(0x0000_0002_3873_52B5L, MadHeader.TRANSACTION_ID.get(mads.get(0).buffer(), 0));
        assertEquals(0x0000_0002_3873_52B4L, MadHeader.TRANSACTION_ID.get(mads.get(6).buffer(), 0));
    }

    @Test
    void reqDecodesToTheFieldsRpingRequested() {
        DirectBuffer req = mads.get(0).buffer();
        assertEquals(0xB552_7338, CommunicationIds.LOCAL.get(req, 0));
        assertEquals(CmaHeader.serviceId(0x0106, 7174), CmReq.SERVICE_ID.get(req, 0));
        assertEquals(0x5054_00FF_FE12_3403L, CmReq.LOCAL_CA_GUID.get(req, 0));
        assertEquals(0x1F, CmReq.LOCAL_QPN.get(req, 0));
        assertEquals(1, CmReq.RESPONDER_RESOURCES.get(req, 0));
        assertEquals(1, CmReq.INITIATOR_DEPTH.get(req, 0));
        assertEquals(20, CmReq.REMOTE_CM_RESPONSE_TIMEOUT.get(req, 0));
        assertEquals(0, CmReq.TRANSPORT_SERVICE_TYPE.get(req, 0));
        assertFalse(CmReq.END_TO_END_FLOW_CONTROL.isSet(req, 0));
        assertEquals(0x61A1FA, CmReq.STARTING_PSN.get(req, 0));
        assertEquals(20, CmReq.LOCAL_CM_RESPONSE_TIMEOUT.get(req, 0));
        assertEquals(7, CmReq.RETRY_COUNT.get(req, 0));
        assertEquals(0xFFFF, CmReq.PARTITION_KEY.get(req, 0));
        assertEquals(3, CmReq.PATH_MTU.get(req, 0));
        assertEquals(7, CmReq.RNR_RETRY_COUNT.get(req, 0));
        assertEquals(15, CmReq.MAX_CM_RETRIES.get(req, 0));
        assertFalse(CmReq.SHARED_RECEIVE_QUEUE.isSet(req, 0));
        assertEquals(0xFFFF, CmReq.PRIMARY_LOCAL_LID.get(req, 0));
        assertEquals(0xFFFF, CmReq.PRIMARY_REMOTE_LID.get(req, 0));
        assertEquals(CLIENT, CmReq.PRIMARY_LOCAL_GID.get(req, 0));
        assertEquals(SERVER, CmReq.PRIMARY_REMOTE_GID.get(req, 0));
        assertEquals(55292 * 31 + 7174 & 0xFFFFF, CmReq.FLOW_LABEL.get(req, 0));
        assertEquals(64, CmReq.HOP_LIMIT.get(req, 0));
        assertFalse(CmReq.SUBNET_LOCAL.isSet(req, 0));
        assertEquals(19, CmReq.LOCAL_ACK_TIMEOUT.get(req, 0));
        assertFalse(CmReq.ALTERNATE_LOCAL_LID.isSet(req, 0));
        assertEquals(0, CmaHeader.VERSION.get(req, CmaHeader.REQ_OFFSET));
        assertEquals(4, CmaHeader.IP_VERSION.get(req, CmaHeader.REQ_OFFSET));
        assertEquals(55292, CmaHeader.SOURCE_PORT.get(req, CmaHeader.REQ_OFFSET));
        assertEquals(CLIENT, CmaHeader.sourceAddress(req, CmaHeader.REQ_OFFSET));
        assertEquals(SERVER, CmaHeader.destinationAddress(req, CmaHeader.REQ_OFFSET));
    }

    @Test
    void repAndDreqDecodeToTheFieldsOfTheServer() {
        DirectBuffer rep = mads.get(1).buffer();
        assertEquals(0xE681_B7F8, CommunicationIds.LOCAL.get(rep, 0));
        assertEquals(0xB552_7338, CommunicationIds.REMOTE.get(rep, 0));
        assertEquals(0x1F, CmRep.LOCAL_QPN.get(rep, 0));
        assertEquals(0x9281F4, CmRep.STARTING_PSN.get(rep, 0));
        assertEquals(1, CmRep.RESPONDER_RESOURCES.get(rep, 0));
        assertEquals(1, CmRep.INITIATOR_DEPTH.get(rep, 0));
        assertEquals(15, CmRep.TARGET_ACK_DELAY.get(rep, 0));
        assertEquals(0, CmRep.FAILOVER_ACCEPTED.get(rep, 0));
        assertEquals(7, CmRep.RNR_RETRY_COUNT.get(rep, 0));
        assertFalse(CmRep.SHARED_RECEIVE_QUEUE.isSet(rep, 0));
        assertEquals(0x5054_00FF_FE12_3402L, CmRep.LOCAL_CA_GUID.get(rep, 0));
        DirectBuffer dreq = mads.get(3).buffer();
        assertEquals(0x1F, CmDreq.REMOTE_QPN.get(dreq, 0));
        DirectBuffer drep = mads.get(4).buffer();
        assertEquals(0xE681_B7F8, CommunicationIds.LOCAL.get(drep, 0));
    }

    @Test
    void sidrDecodesToTheFieldsOfUdaddy() {
        DirectBuffer sidrReq = mads.get(5).buffer();
        assertEquals(0xB452_7338, SidrReq.REQUEST_ID.get(sidrReq, 0));
        assertEquals(0xFFFF, SidrReq.PARTITION_KEY.get(sidrReq, 0));
        assertEquals(CmaHeader.serviceId(0x0111, 7174), SidrReq.SERVICE_ID.get(sidrReq, 0));
        assertEquals(0x803E, CmaHeader.SOURCE_PORT.get(sidrReq, CmaHeader.SIDR_REQ_OFFSET));
        assertEquals(CLIENT, CmaHeader.sourceAddress(sidrReq, CmaHeader.SIDR_REQ_OFFSET));
        DirectBuffer answer = mads.get(6).buffer();
        assertEquals(0xB452_7338, SidrRep.REQUEST_ID.get(answer, 0));
        assertEquals(SidrStatus.VALID, SidrStatus.of(SidrRep.STATUS.get(answer, 0)));
        assertEquals(0x20, SidrRep.QPN.get(answer, 0));
        assertEquals(0x0123_4567, SidrRep.QUEUE_KEY.get(answer, 0));
        assertEquals(CmaHeader.serviceId(0x0111, 7174), SidrRep.SERVICE_ID.get(answer, 0));
    }

    @Test
    void decodedFieldsEncodeToTheSameBytes() {
        for (GoldenMad mad : mads) {
            byte[] again = new byte[MadHeader.MAD_LENGTH];
            // Stale bytes in the buffer must be overwritten.
            Arrays.fill(again, (byte) 0xA5);
            UnsafeBuffer to = new UnsafeBuffer(again);
            MadHeader.write(to, 0, mad.attribute(), MadHeader.TRANSACTION_ID.get(mad.buffer(), 0));
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
                CmRtu.PRIVATE_DATA.set(to, 0, CmRtu.PRIVATE_DATA.get(from, 0));
            }
            case DREQ -> {
                ids(from, to);
                CmDreq.REMOTE_QPN.set(to, 0, CmDreq.REMOTE_QPN.get(from, 0));
                CmDreq.PRIVATE_DATA.set(to, 0, CmDreq.PRIVATE_DATA.get(from, 0));
            }
            case DREP -> {
                ids(from, to);
                CmDrep.PRIVATE_DATA.set(to, 0, CmDrep.PRIVATE_DATA.get(from, 0));
            }
            case SIDR_REQ -> {
                SidrReq.REQUEST_ID.set(to, 0, SidrReq.REQUEST_ID.get(from, 0));
                SidrReq.PARTITION_KEY.set(to, 0, SidrReq.PARTITION_KEY.get(from, 0));
                SidrReq.SERVICE_ID.set(to, 0, SidrReq.SERVICE_ID.get(from, 0));
                SidrReq.PRIVATE_DATA.set(to, 0, SidrReq.PRIVATE_DATA.get(from, 0));
                header(from, to, CmaHeader.SIDR_REQ_OFFSET);
            }
            case SIDR_REP -> {
                SidrRep.REQUEST_ID.set(to, 0, SidrRep.REQUEST_ID.get(from, 0));
                SidrRep.STATUS.set(to, 0, SidrRep.STATUS.get(from, 0));
                SidrRep.INFORMATION_LENGTH.set(to, 0, SidrRep.INFORMATION_LENGTH.get(from, 0));
                SidrRep.QPN.set(to, 0, SidrRep.QPN.get(from, 0));
                SidrRep.SERVICE_ID.set(to, 0, SidrRep.SERVICE_ID.get(from, 0));
                SidrRep.QUEUE_KEY.set(to, 0, SidrRep.QUEUE_KEY.get(from, 0));
                SidrRep.PRIVATE_DATA.set(to, 0, SidrRep.PRIVATE_DATA.get(from, 0));
            }
            case MRA, REJ, LAP, APR -> throw new AssertionError(attribute + " is not in the capture");
        }
    }

    private static void ids(DirectBuffer from, UnsafeBuffer to) {
        CommunicationIds.write(to, 0, CommunicationIds.LOCAL.get(from, 0), CommunicationIds.REMOTE.get(from, 0));
    }

    private static void header(DirectBuffer from, UnsafeBuffer to, int at) {
        CmaHeader.write(to, at, CmaHeader.sourceAddress(from, at), CmaHeader.destinationAddress(from, at),
            CmaHeader.SOURCE_PORT.get(from, at));
    }

    private static void encodeReq(DirectBuffer from, UnsafeBuffer to) {
        ids(from, to);
        CmReq.SERVICE_ID.set(to, 0, CmReq.SERVICE_ID.get(from, 0));
        CmReq.LOCAL_CA_GUID.set(to, 0, CmReq.LOCAL_CA_GUID.get(from, 0));
        CmReq.LOCAL_QUEUE_KEY.set(to, 0, CmReq.LOCAL_QUEUE_KEY.get(from, 0));
        CmReq.LOCAL_QPN.set(to, 0, CmReq.LOCAL_QPN.get(from, 0));
        CmReq.RESPONDER_RESOURCES.set(to, 0, CmReq.RESPONDER_RESOURCES.get(from, 0));
        CmReq.INITIATOR_DEPTH.set(to, 0, CmReq.INITIATOR_DEPTH.get(from, 0));
        CmReq.REMOTE_CM_RESPONSE_TIMEOUT.set(to, 0, CmReq.REMOTE_CM_RESPONSE_TIMEOUT.get(from, 0));
        CmReq.TRANSPORT_SERVICE_TYPE.set(to, 0, CmReq.TRANSPORT_SERVICE_TYPE.get(from, 0));
        CmReq.END_TO_END_FLOW_CONTROL.set(to, 0, CmReq.END_TO_END_FLOW_CONTROL.isSet(from, 0));
        CmReq.STARTING_PSN.set(to, 0, CmReq.STARTING_PSN.get(from, 0));
        CmReq.LOCAL_CM_RESPONSE_TIMEOUT.set(to, 0, CmReq.LOCAL_CM_RESPONSE_TIMEOUT.get(from, 0));
        CmReq.RETRY_COUNT.set(to, 0, CmReq.RETRY_COUNT.get(from, 0));
        CmReq.PARTITION_KEY.set(to, 0, CmReq.PARTITION_KEY.get(from, 0));
        CmReq.PATH_MTU.set(to, 0, CmReq.PATH_MTU.get(from, 0));
        CmReq.RELIABLE_DATAGRAM_CHANNEL.set(to, 0, CmReq.RELIABLE_DATAGRAM_CHANNEL.isSet(from, 0));
        CmReq.RNR_RETRY_COUNT.set(to, 0, CmReq.RNR_RETRY_COUNT.get(from, 0));
        CmReq.MAX_CM_RETRIES.set(to, 0, CmReq.MAX_CM_RETRIES.get(from, 0));
        CmReq.SHARED_RECEIVE_QUEUE.set(to, 0, CmReq.SHARED_RECEIVE_QUEUE.isSet(from, 0));
        CmReq.EXTENDED_TRANSPORT.set(to, 0, CmReq.EXTENDED_TRANSPORT.get(from, 0));
        CmReq.PRIMARY_LOCAL_LID.set(to, 0, CmReq.PRIMARY_LOCAL_LID.get(from, 0));
        CmReq.PRIMARY_REMOTE_LID.set(to, 0, CmReq.PRIMARY_REMOTE_LID.get(from, 0));
        CmReq.PRIMARY_LOCAL_GID.set(to, 0, CmReq.PRIMARY_LOCAL_GID.get(from, 0));
        CmReq.PRIMARY_REMOTE_GID.set(to, 0, CmReq.PRIMARY_REMOTE_GID.get(from, 0));
        CmReq.FLOW_LABEL.set(to, 0, CmReq.FLOW_LABEL.get(from, 0));
        CmReq.PACKET_RATE.set(to, 0, CmReq.PACKET_RATE.get(from, 0));
        CmReq.TRAFFIC_CLASS.set(to, 0, CmReq.TRAFFIC_CLASS.get(from, 0));
        CmReq.HOP_LIMIT.set(to, 0, CmReq.HOP_LIMIT.get(from, 0));
        CmReq.SERVICE_LEVEL.set(to, 0, CmReq.SERVICE_LEVEL.get(from, 0));
        CmReq.SUBNET_LOCAL.set(to, 0, CmReq.SUBNET_LOCAL.isSet(from, 0));
        CmReq.LOCAL_ACK_TIMEOUT.set(to, 0, CmReq.LOCAL_ACK_TIMEOUT.get(from, 0));
        CmReq.PRIVATE_DATA.set(to, 0, CmReq.PRIVATE_DATA.get(from, 0));
        header(from, to, CmaHeader.REQ_OFFSET);
    }

    private static void encodeRep(DirectBuffer from, UnsafeBuffer to) {
        ids(from, to);
        CmRep.LOCAL_QUEUE_KEY.set(to, 0, CmRep.LOCAL_QUEUE_KEY.get(from, 0));
        CmRep.LOCAL_QPN.set(to, 0, CmRep.LOCAL_QPN.get(from, 0));
        CmRep.STARTING_PSN.set(to, 0, CmRep.STARTING_PSN.get(from, 0));
        CmRep.RESPONDER_RESOURCES.set(to, 0, CmRep.RESPONDER_RESOURCES.get(from, 0));
        CmRep.INITIATOR_DEPTH.set(to, 0, CmRep.INITIATOR_DEPTH.get(from, 0));
        CmRep.TARGET_ACK_DELAY.set(to, 0, CmRep.TARGET_ACK_DELAY.get(from, 0));
        CmRep.FAILOVER_ACCEPTED.set(to, 0, CmRep.FAILOVER_ACCEPTED.get(from, 0));
        CmRep.END_TO_END_FLOW_CONTROL.set(to, 0, CmRep.END_TO_END_FLOW_CONTROL.isSet(from, 0));
        CmRep.RNR_RETRY_COUNT.set(to, 0, CmRep.RNR_RETRY_COUNT.get(from, 0));
        CmRep.SHARED_RECEIVE_QUEUE.set(to, 0, CmRep.SHARED_RECEIVE_QUEUE.isSet(from, 0));
        CmRep.LOCAL_CA_GUID.set(to, 0, CmRep.LOCAL_CA_GUID.get(from, 0));
        CmRep.PRIVATE_DATA.set(to, 0, CmRep.PRIVATE_DATA.get(from, 0));
    }
}
