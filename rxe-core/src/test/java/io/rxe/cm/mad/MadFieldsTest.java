package io.rxe.cm.mad;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The place of each field: written into zeros and into ones, it changes its own bits and no other. */
class MadFieldsTest {
    private static final int BODY = 24;

    private record Field(String name, int firstBit, int width, MadField field) {
        private int mask() {
            return width == 32 ? -1 : (1 << width) - 1;
        }
    }

    private static final List<Field> FIELDS = new ArrayList<>();

    private static void field(String name, int bodyByte, int bit, int width, MadField field) {
        FIELDS.add(new Field(name, (BODY + bodyByte) * 8 + bit, width, field));
    }

    static {
        field("REQ queue key", 28, 0, 32, CmReq.LOCAL_QUEUE_KEY);
        field("REQ QPN", 32, 0, 24, CmReq.LOCAL_QPN);
        field("REQ responder resources", 35, 0, 8, CmReq.RESPONDER_RESOURCES);
        field("REQ initiator depth", 39, 0, 8, CmReq.INITIATOR_DEPTH);
        field("REQ remote timeout", 43, 0, 5, CmReq.REMOTE_CM_RESPONSE_TIMEOUT);
        field("REQ transport", 43, 5, 2, CmReq.TRANSPORT_SERVICE_TYPE);
        field("REQ flow control", 43, 7, 1, CmReq.END_TO_END_FLOW_CONTROL);
        field("REQ PSN", 44, 0, 24, CmReq.STARTING_PSN);
        field("REQ local timeout", 47, 0, 5, CmReq.LOCAL_CM_RESPONSE_TIMEOUT);
        field("REQ retries", 47, 5, 3, CmReq.RETRY_COUNT);
        field("REQ partition key", 48, 0, 16, CmReq.PARTITION_KEY);
        field("REQ MTU", 50, 0, 4, CmReq.PATH_MTU);
        field("REQ RDC", 50, 4, 1, CmReq.RELIABLE_DATAGRAM_CHANNEL);
        field("REQ RNR retries", 50, 5, 3, CmReq.RNR_RETRY_COUNT);
        field("REQ CM retries", 51, 0, 4, CmReq.MAX_CM_RETRIES);
        field("REQ SRQ", 51, 4, 1, CmReq.SHARED_RECEIVE_QUEUE);
        field("REQ extended transport", 51, 5, 3, CmReq.EXTENDED_TRANSPORT);
        field("REQ local LID", 52, 0, 16, CmReq.PRIMARY_LOCAL_LID);
        field("REQ remote LID", 54, 0, 16, CmReq.PRIMARY_REMOTE_LID);
        field("REQ flow label", 88, 0, 20, CmReq.FLOW_LABEL);
        field("REQ rate", 91, 2, 6, CmReq.PACKET_RATE);
        field("REQ traffic class", 92, 0, 8, CmReq.TRAFFIC_CLASS);
        field("REQ hop limit", 93, 0, 8, CmReq.HOP_LIMIT);
        field("REQ SL", 94, 0, 4, CmReq.SERVICE_LEVEL);
        field("REQ subnet local", 94, 4, 1, CmReq.SUBNET_LOCAL);
        field("REQ ACK timeout", 95, 0, 5, CmReq.LOCAL_ACK_TIMEOUT);
        field("REP queue key", 8, 0, 32, CmRep.LOCAL_QUEUE_KEY);
        field("REP QPN", 12, 0, 24, CmRep.LOCAL_QPN);
        field("REP PSN", 20, 0, 24, CmRep.STARTING_PSN);
        field("REP responder resources", 24, 0, 8, CmRep.RESPONDER_RESOURCES);
        field("REP initiator depth", 25, 0, 8, CmRep.INITIATOR_DEPTH);
        field("REP ACK delay", 26, 0, 5, CmRep.TARGET_ACK_DELAY);
        field("REP failover", 26, 5, 2, CmRep.FAILOVER_ACCEPTED);
        field("REP flow control", 26, 7, 1, CmRep.END_TO_END_FLOW_CONTROL);
        field("REP RNR retries", 27, 0, 3, CmRep.RNR_RETRY_COUNT);
        field("REP SRQ", 27, 3, 1, CmRep.SHARED_RECEIVE_QUEUE);
        field("REJ message", 8, 0, 2, CmRej.MESSAGE);
        field("REJ reason", 10, 0, 16, CmRej.REASON);
        field("MRA message", 8, 0, 2, CmMra.MESSAGE);
        field("MRA timeout", 9, 0, 5, CmMra.SERVICE_TIMEOUT);
        field("DREQ QPN", 8, 0, 24, CmDreq.REMOTE_QPN);
        field("SIDR_REQ ID", 0, 0, 32, SidrReq.REQUEST_ID);
        field("SIDR_REQ partition key", 4, 0, 16, SidrReq.PARTITION_KEY);
        field("SIDR_REP ID", 0, 0, 32, SidrRep.REQUEST_ID);
        field("SIDR_REP status", 4, 0, 8, SidrRep.STATUS);
        field("SIDR_REP info length", 5, 0, 8, SidrRep.INFORMATION_LENGTH);
        field("SIDR_REP QPN", 8, 0, 24, SidrRep.QPN);
        field("SIDR_REP queue key", 20, 0, 32, SidrRep.QUEUE_KEY);
    }

    @Test
    void everyFieldFillsItsOwnBitsAndNoOther() {
        for (Field field : FIELDS) {
            byte[] zeros = new byte[256];
            field.field.set(new UnsafeBuffer(zeros), 0, -1);
            BitSet expected = new BitSet();
            expected.set(field.firstBit, field.firstBit + field.width);
            assertEquals(expected, setBits(zeros), field.name);
            assertEquals(field.mask(), field.field.get(new UnsafeBuffer(zeros), 0), field.name);

            byte[] ones = new byte[256];
            Arrays.fill(ones, (byte) 0xFF);
            field.field.set(new UnsafeBuffer(ones), 0, 0);
            BitSet cleared = setBits(ones);
            cleared.flip(0, 2048);
            assertEquals(expected, cleared, field.name);
            assertEquals(0, field.field.get(new UnsafeBuffer(ones), 0), field.name);
        }
    }

    private static BitSet setBits(byte[] bytes) {
        BitSet bits = new BitSet();
        for (int i = 0; i < 8 * bytes.length; i++) {
            bits.set(i, (bytes[i / 8] >> 7 - i % 8 & 1) != 0);
        }
        return bits;
    }

    @Test
    void privateDataFillsItsAreaWithZerosAndRejectsTooMuch() {
        UnsafeBuffer mad = new UnsafeBuffer(new byte[256]);
        mad.setMemory(0, 256, (byte) 0xA5);
        CmRej.PRIVATE_DATA.set(mad, 0, new byte[] {1, 2, 3});
        byte[] area = CmRej.PRIVATE_DATA.get(mad, 0);
        assertEquals(148, area.length);
        assertArrayEquals(new byte[] {1, 2, 3, 0, 0}, Arrays.copyOf(area, 5));
        assertEquals(0, area[147]);
        String message = assertThrows(IllegalArgumentException.class, () -> CmRep.PRIVATE_DATA.set(mad, 0, new byte[197])).getMessage();
        assertTrue(message.contains("197") && message.contains("196") && message.contains("REP"), message);
    }

    @Test
    void areasOfPrivateDataEndWithTheMad() {
        assertEquals(256, 24 + 140 + CmReq.PRIVATE_DATA.length());
        assertEquals(256, 24 + 36 + CmRep.PRIVATE_DATA.length());
        assertEquals(256, 24 + 8 + CmRtu.PRIVATE_DATA.length());
        assertEquals(256, 24 + 84 + CmRej.PRIVATE_DATA.length());
        assertEquals(256, 24 + 10 + CmMra.PRIVATE_DATA.length());
        assertEquals(256, 24 + 12 + CmDreq.PRIVATE_DATA.length());
        assertEquals(256, 24 + 8 + CmDrep.PRIVATE_DATA.length());
        assertEquals(256, 24 + 16 + SidrReq.PRIVATE_DATA.length());
        assertEquals(256, 24 + 96 + SidrRep.PRIVATE_DATA.length());
        assertEquals(56, CmaHeader.REQ_PRIVATE_DATA_LENGTH);
        assertEquals(180, CmaHeader.SIDR_REQ_PRIVATE_DATA_LENGTH);
    }

    @Test
    void rejectInformationHoldsAnAdapterGuid() {
        UnsafeBuffer mad = new UnsafeBuffer(new byte[256]);
        MadHeader.write(mad, 0, CmAttribute.REJ, 1);
        assertEquals(0, CmRej.informationGuid(mad, 0));
        CmRej.informationGuid(mad, 0, 0x1122334455667788L);
        assertEquals(16, mad.getByte(24 + 9));
        assertEquals(0x1122334455667788L, CmRej.informationGuid(mad, 0));
    }

    @Test
    void privateDataHeaderCarriesAddressesOfBothFamilies() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
        Gid v6 = Gid.parse("fd99::3");
        CmaHeader.write(buffer, 3, v6, Gid.parse("fd99::2"), 65535);
        assertEquals(6, CmaHeader.IP_VERSION.get(buffer, 3));
        assertEquals(v6, CmaHeader.sourceAddress(buffer, 3));
        assertEquals(Gid.parse("fd99::2"), CmaHeader.destinationAddress(buffer, 3));
        assertEquals(65535, CmaHeader.SOURCE_PORT.get(buffer, 3));
        CmaHeader.write(buffer, 3, Gid.parse("10.0.0.1"), Gid.parse("10.0.0.2"), 0);
        assertEquals(0, buffer.getLong(3 + 4));
        assertEquals(0, buffer.getInt(3 + 12));
        assertEquals(Gid.parse("10.0.0.2"), CmaHeader.destinationAddress(buffer, 3));
    }

    @Test
    void everyInvalidMadHasItsVerdict() {
        UnsafeBuffer mad = new UnsafeBuffer(new byte[256]);
        MadHeader.write(mad, 0, CmAttribute.RTU, 1);
        assertEquals(MadVerdict.VALID, MadHeader.check(mad, 0, 256));
        assertEquals(MadVerdict.BAD_LENGTH, MadHeader.check(mad, 0, 255));
        assertEquals(MadVerdict.BAD_LENGTH, MadHeader.check(mad, 0, 0));
        assertEquals(MadVerdict.BAD_BASE_VERSION, spoiled(0, 2));
        assertEquals(MadVerdict.WRONG_CLASS, spoiled(1, 4));
        assertEquals(MadVerdict.BAD_CLASS_VERSION, spoiled(2, 1));
        assertEquals(MadVerdict.WRONG_METHOD, spoiled(3, 1));
        assertEquals(MadVerdict.UNKNOWN_ATTRIBUTE, spoiled(17, 0x0F));
        assertEquals(MadVerdict.UNKNOWN_ATTRIBUTE, spoiled(17, 0x1B));
        assertEquals(MadVerdict.UNKNOWN_ATTRIBUTE, spoiled(16, 0x01));
    }

    private static MadVerdict spoiled(int index, int value) {
        UnsafeBuffer mad = new UnsafeBuffer(new byte[256]);
        MadHeader.write(mad, 0, CmAttribute.RTU, 1);
        mad.putByte(index, (byte) value);
        return MadHeader.check(mad, 0, 256);
    }

    @Test
    void everyCodeHasAName() {
        for (CmAttribute attribute : CmAttribute.values()) {
            assertEquals(attribute, CmAttribute.of(attribute.code()));
        }
        for (RejectReason reason : RejectReason.values()) {
            assertEquals(reason, RejectReason.of(reason.code()));
        }
        assertEquals(RejectReason.UNKNOWN, RejectReason.of(34));
        assertEquals(RejectReason.UNKNOWN, RejectReason.of(65535));
        assertEquals(8, RejectReason.INVALID_SERVICE_ID.code());
        assertEquals(10, RejectReason.STALE_CONNECTION.code());
        assertEquals(26, RejectReason.INVALID_PATH_MTU.code());
        assertEquals(28, RejectReason.CONSUMER.code());
        assertEquals(31, RejectReason.INVALID_CLASS_VERSION.code());
        for (SidrStatus status : SidrStatus.values()) {
            assertEquals(status, SidrStatus.of(status.code()));
        }
        assertEquals(SidrStatus.UNKNOWN, SidrStatus.of(200));
    }
}
