package io.rxe.cm.mad;

import io.rxe.wire.Gid;
import io.rxe.wire.Psn;
import java.util.Arrays;
import java.util.HexFormat;
import org.agrona.DirectBuffer;

/**
 * Prints MADs as text, for users and for traces in tests. Appends to a StringBuilder of the caller.
 *
 * <p>Never throws: of what is no message of connection management it prints class and attribute as far as they are there. Bytes that an
 * application chose appear as hexadecimal digits or printable ASCII only.
 */
public final class MadPrinter {
    /** Service IDs of rdma_cm begin with five bytes that are 00 00 00 00 01 ({@code RDMA_IB_IP_PS_MASK}). */
    private static final long RDMA_CM_PREFIX = 0x01;
    private static final int PORT_SPACE_TCP = 0x0106;
    private static final int PORT_SPACE_UDP = 0x0111;
    private static final int PORT_SPACE_IB = 0x013F;
    private static final int BYTES_SHOWN = 16;
    private static final int BYTES_PER_LINE = 16;
    private static final int EXTENDED = 3;
    private static final String[] TRANSPORTS = {"RC", "UC", "RD", "extended"};

    private final StringBuilder out;

    /** Creates a printer that appends to a StringBuilder. */
    public MadPrinter(StringBuilder out) {
        this.out = out;
    }

    /**
     * Appends one MAD, without a line end.
     *
     * @param length  bytes of the MAD that are there, 0 or more.
     * @param verbose whether to print fields that say little about the course of a connection: IDs of transactions, GUIDs, time codes.
     */
    public void append(DirectBuffer buffer, int offset, int length, boolean verbose) {
        if (length < MadHeader.LENGTH) {
            out.append("MAD of ").append(length).append(" bytes, not ").append(MadHeader.MAD_LENGTH);
            return;
        }
        if (MadHeader.MANAGEMENT_CLASS.get(buffer, offset) != MadHeader.CM_CLASS || MadHeader.attribute(buffer, offset) == null) {
            out.append("MAD of class 0x").append(Integer.toHexString(MadHeader.MANAGEMENT_CLASS.get(buffer, offset)));
            out.append(" attribute 0x").append(Integer.toHexString(MadHeader.ATTRIBUTE_ID.get(buffer, offset)));
            return;
        }
        CmAttribute attribute = MadHeader.attribute(buffer, offset);
        out.append("CM ").append(attribute);
        if (length != MadHeader.MAD_LENGTH) {
            out.append(" of ").append(length).append(" bytes, not ").append(MadHeader.MAD_LENGTH);
            return;
        }
        switch (attribute) {
            case REQ -> request(buffer, offset, verbose);
            case REP -> reply(buffer, offset, verbose);
            case SIDR_REQ -> resolution(buffer, offset);
            case SIDR_REP -> resolved(buffer, offset);
            default -> {
                bothIds(buffer, offset);
                details(attribute, buffer, offset);
            }
        }
        if (verbose) {
            hex(" tid 0x", MadHeader.TRANSACTION_ID.get(buffer, offset), 16);
        }
        privateData(privateData(buffer, offset));
    }

    /** {@return why a REJ or a SIDR_REP refuses, with the code; empty for every other MAD} */
    public static String refusal(DirectBuffer buffer, int offset, int length) {
        if (length != MadHeader.MAD_LENGTH || MadHeader.check(buffer, offset, length) != MadVerdict.VALID) {
            return "";
        }
        if (MadHeader.attribute(buffer, offset) == CmAttribute.REJ) {
            int reason = CmRej.REASON.get(buffer, offset);
            return "reason " + reason + " (" + RejectReason.of(reason).sentence() + ")";
        }
        int status = MadHeader.attribute(buffer, offset) == CmAttribute.SIDR_REP ? SidrRep.STATUS.get(buffer, offset) : 0;
        return status == 0 ? "" : "status " + status + " (" + SidrStatus.of(status).sentence() + ")";
    }

    /**
     * {@return the application's bytes in a valid message of connection management: private data without the header of rdma_cm and
     * without the zeros that fill its area}
     */
    public static byte[] privateData(DirectBuffer buffer, int offset) {
        CmAttribute attribute = MadHeader.attribute(buffer, offset);
        byte[] area = attribute == null ? new byte[0] : switch (attribute) {
            case REQ -> CmReq.PRIVATE_DATA.get(buffer, offset);
            case MRA -> CmMra.PRIVATE_DATA.get(buffer, offset);
            case REJ -> CmRej.PRIVATE_DATA.get(buffer, offset);
            case REP -> CmRep.PRIVATE_DATA.get(buffer, offset);
            case RTU -> CmRtu.PRIVATE_DATA.get(buffer, offset);
            case DREQ -> CmDreq.PRIVATE_DATA.get(buffer, offset);
            case DREP -> CmDrep.PRIVATE_DATA.get(buffer, offset);
            case SIDR_REQ -> SidrReq.PRIVATE_DATA.get(buffer, offset);
            case SIDR_REP -> SidrRep.PRIVATE_DATA.get(buffer, offset);
            case LAP -> CmLap.PRIVATE_DATA.get(buffer, offset);
            case APR -> CmApr.PRIVATE_DATA.get(buffer, offset);
        };
        int begin = attribute == CmAttribute.REQ && isIp(CmReq.SERVICE_ID.get(buffer, offset))
            || attribute == CmAttribute.SIDR_REQ && isIp(SidrReq.SERVICE_ID.get(buffer, offset)) ? CmaHeader.LENGTH : 0;
        int end = area.length;
        while (end > begin && area[end - 1] == 0) {
            end--;
        }
        return Arrays.copyOfRange(area, begin, Math.max(begin, end));
    }

    /** Appends bytes as lines of offset, hexadecimal digits and printable characters, each behind an indent and with a line end. */
    public void appendBytes(byte[] bytes, String indent) {
        for (int at = 0; at < bytes.length; at += BYTES_PER_LINE) {
            byte[] line = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + BYTES_PER_LINE));
            out.append(indent);
            hex("", at, 4);
            out.append("  ").append(HexFormat.ofDelimiter(" ").formatHex(line)).append("   ".repeat(BYTES_PER_LINE - line.length + 1));
            out.append(ascii(line)).append('\n');
        }
    }

    private void request(DirectBuffer buffer, int offset, boolean verbose) {
        hex(" id 0x", CommunicationIds.LOCAL.get(buffer, offset), 8);
        service(CmReq.SERVICE_ID.get(buffer, offset), buffer, offset + CmaHeader.REQ_OFFSET);
        boolean isXrc = CmReq.TRANSPORT_SERVICE_TYPE.get(buffer, offset) == EXTENDED && CmReq.EXTENDED_TRANSPORT.get(buffer, offset) == 1;
        out.append(' ').append(isXrc ? "XRC" : TRANSPORTS[CmReq.TRANSPORT_SERVICE_TYPE.get(buffer, offset)]);
        queuePair(CmReq.LOCAL_QPN.get(buffer, offset), CmReq.STARTING_PSN.get(buffer, offset));
        int mtuCode = CmReq.PATH_MTU.get(buffer, offset);
        out.append(" mtu ").append(mtuCode >= 1 && mtuCode <= 5 ? Integer.toString(128 << mtuCode) : "code " + mtuCode);
        out.append(" resources ").append(CmReq.RESPONDER_RESOURCES.get(buffer, offset));
        out.append(" depth ").append(CmReq.INITIATOR_DEPTH.get(buffer, offset));
        out.append(" timeout ").append(CmReq.LOCAL_ACK_TIMEOUT.get(buffer, offset));
        out.append(" retry ").append(CmReq.RETRY_COUNT.get(buffer, offset));
        out.append(" rnr_retry ").append(CmReq.RNR_RETRY_COUNT.get(buffer, offset));
        if (CmReq.SHARED_RECEIVE_QUEUE.isSet(buffer, offset)) {
            out.append(" srq");
        }
        if (verbose) {
            address(" gid ", CmReq.PRIMARY_LOCAL_GID.get(buffer, offset));
            address(" remote gid ", CmReq.PRIMARY_REMOTE_GID.get(buffer, offset));
            hex(" guid 0x", CmReq.LOCAL_CA_GUID.get(buffer, offset), 16);
            hex(" pkey 0x", CmReq.PARTITION_KEY.get(buffer, offset), 4);
            out.append(" cm timeouts ").append(CmReq.LOCAL_CM_RESPONSE_TIMEOUT.get(buffer, offset)).append(' ')
                .append(CmReq.REMOTE_CM_RESPONSE_TIMEOUT.get(buffer, offset));
            out.append(" cm retries ").append(CmReq.MAX_CM_RETRIES.get(buffer, offset));
        }
    }

    private void reply(DirectBuffer buffer, int offset, boolean verbose) {
        bothIds(buffer, offset);
        int target = CmRep.LOCAL_EE_CONTEXT.get(buffer, offset);
        queuePair(target == 0 ? CmRep.LOCAL_QPN.get(buffer, offset) : target, CmRep.STARTING_PSN.get(buffer, offset));
        out.append(" resources ").append(CmRep.RESPONDER_RESOURCES.get(buffer, offset));
        out.append(" depth ").append(CmRep.INITIATOR_DEPTH.get(buffer, offset));
        out.append(" rnr_retry ").append(CmRep.RNR_RETRY_COUNT.get(buffer, offset));
        if (CmRep.SHARED_RECEIVE_QUEUE.isSet(buffer, offset)) {
            out.append(" srq");
        }
        if (verbose) {
            hex(" guid 0x", CmRep.LOCAL_CA_GUID.get(buffer, offset), 16);
            out.append(" ack delay ").append(CmRep.TARGET_ACK_DELAY.get(buffer, offset));
        }
    }

    private void details(CmAttribute attribute, DirectBuffer buffer, int offset) {
        switch (attribute) {
            case MRA -> out.append(" of ").append(AnsweredMessage.of(CmMra.MESSAGE.get(buffer, offset))).append(" timeout ")
                .append(CmMra.SERVICE_TIMEOUT.get(buffer, offset));
            case REJ -> out.append(" of ").append(AnsweredMessage.of(CmRej.MESSAGE.get(buffer, offset))).append(' ')
                .append(refusal(buffer, offset, MadHeader.MAD_LENGTH));
            case DREQ -> hex(" qpn 0x", CmDreq.REMOTE_QPN.get(buffer, offset), 0);
            case LAP -> {
                hex(" qpn 0x", CmLap.REMOTE_QPN.get(buffer, offset), 0);
                address(" gid ", CmLap.LOCAL_GID.get(buffer, offset));
                address(" remote gid ", CmLap.REMOTE_GID.get(buffer, offset));
                out.append(" timeout ").append(CmLap.LOCAL_ACK_TIMEOUT.get(buffer, offset));
            }
            case APR -> out.append(" status ").append(CmApr.STATUS.get(buffer, offset)).append(" (")
                .append(AlternatePathStatus.of(CmApr.STATUS.get(buffer, offset)).sentence()).append(')');
            default -> {
                // RTU and DREP have only the two IDs.
            }
        }
    }

    private void resolution(DirectBuffer buffer, int offset) {
        hex(" id 0x", SidrReq.REQUEST_ID.get(buffer, offset), 8);
        service(SidrReq.SERVICE_ID.get(buffer, offset), buffer, offset + CmaHeader.SIDR_REQ_OFFSET);
    }

    private void resolved(DirectBuffer buffer, int offset) {
        int status = SidrRep.STATUS.get(buffer, offset);
        hex(" id 0x", SidrRep.REQUEST_ID.get(buffer, offset), 8);
        out.append(" status ").append(status).append(" (").append(SidrStatus.of(status).sentence()).append(')');
        if (status == 0) {
            hex(" qpn 0x", SidrRep.QPN.get(buffer, offset), 0);
            hex(" qkey 0x", SidrRep.QUEUE_KEY.get(buffer, offset), 8);
        }
    }

    private void bothIds(DirectBuffer buffer, int offset) {
        hex(" id 0x", CommunicationIds.LOCAL.get(buffer, offset), 8);
        hex(" peer 0x", CommunicationIds.REMOTE.get(buffer, offset), 8);
    }

    private void queuePair(int number, int psn) {
        hex(" qpn 0x", number, 0);
        out.append(" psn ").append(Psn.toString(psn));
    }

    /** A service of rdma_cm has a port, and the private data begins with the addresses. */
    private void service(long serviceId, DirectBuffer buffer, int header) {
        if (!isIp(serviceId)) {
            hex(" service 0x", serviceId, 16);
            return;
        }
        int space = (int) (serviceId >>> 16);
        out.append(" to ").append(space == PORT_SPACE_TCP ? "TCP" : space == PORT_SPACE_UDP ? "UDP"
            : space == PORT_SPACE_IB ? "IB" : "space 0x" + Integer.toHexString(space)).append(" port ").append(serviceId & 0xFFFF);
        int ipVersion = CmaHeader.IP_VERSION.get(buffer, header);
        if (CmaHeader.VERSION.get(buffer, header) == 0 && (ipVersion == 4 || ipVersion == 6)) {
            address(" of ", CmaHeader.destinationAddress(buffer, header));
            address(" from ", CmaHeader.sourceAddress(buffer, header));
            out.append(" port ").append(CmaHeader.SOURCE_PORT.get(buffer, header));
        }
    }

    private static boolean isIp(long serviceId) {
        return serviceId >>> 24 == RDMA_CM_PREFIX;
    }

    private void address(String name, Gid gid) {
        out.append(name).append(gid.address());
    }

    private void privateData(byte[] data) {
        if (data.length == 0) {
            return;
        }
        out.append(" private data ").append(data.length).append(data.length == 1 ? " byte " : " bytes ");
        if (isText(data)) {
            out.append('"').append(ascii(data)).append('"');
        } else {
            out.append(HexFormat.of().formatHex(data, 0, Math.min(data.length, BYTES_SHOWN)));
            out.append(data.length > BYTES_SHOWN ? "..." : "");
        }
    }

    private static boolean isText(byte[] data) {
        for (byte one : data) {
            if (!isPrintable(one)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPrintable(byte one) {
        return one >= ' ' && one <= '~';
    }

    private static String ascii(byte[] data) {
        StringBuilder text = new StringBuilder(data.length);
        for (byte one : data) {
            text.append(isPrintable(one) ? (char) one : '.');
        }
        return text.toString();
    }

    /** Appends a number with a minimum of digits; its lower 32 bits where the field has no more. */
    private void hex(String name, long value, int digits) {
        String text = Long.toHexString(digits == 16 ? value : value & 0xFFFF_FFFFL);
        out.append(name).append("0".repeat(Math.max(0, digits - text.length()))).append(text);
    }
}
