package io.rxe.cm.mad;

import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The header rdma_cm puts in front of the private data of a REQ and a SIDR_REQ ({@code struct cma_hdr}): the IP addresses and the port
 * of the requester. A REP has none. Offsets are those of the header, not of the MAD.
 *
 * <pre>
 * +---------------+-------+-------+-------------------------------+  0
 * |   version 0   |IP ver.|   0   |          source port          |
 * +---------------+-------+-------+-------------------------------+  4
 * |       source address, 16 bytes; IPv4 in the last four         |
 * +---------------------------------------------------------------+ 20
 * |     destination address, 16 bytes; IPv4 in the last four      |
 * +---------------------------------------------------------------+ 36
 * </pre>
 *
 * <p>An IPv4 address is 12 zero bytes and the address, not the mapped form of a GID.
 */
public final class CmaHeader {
    /** Length in bytes. */
    public static final int LENGTH = 36;
    /** Offset in a REQ, from the start of the MAD. */
    public static final int REQ_OFFSET = MadHeader.LENGTH + 140;
    /** Offset in a SIDR_REQ, from the start of the MAD. */
    public static final int SIDR_REQ_OFFSET = MadHeader.LENGTH + 16;
    /** Bytes left for the application in the private data of a REQ. */
    public static final int REQ_PRIVATE_DATA_LENGTH = CmReq.PRIVATE_DATA_LENGTH - LENGTH;
    /** Bytes left for the application in the private data of a SIDR_REQ. */
    public static final int SIDR_REQ_PRIVATE_DATA_LENGTH = SidrReq.PRIVATE_DATA_LENGTH - LENGTH;

    private static final int VERSION_OFFSET = 0;
    private static final int IP_VERSION_OFFSET = 1;
    private static final int SOURCE_PORT_OFFSET = 2;
    private static final int SOURCE_ADDRESS_OFFSET = 4;
    private static final int DESTINATION_ADDRESS_OFFSET = 20;
    private static final int IPV4_OFFSET = 12;

    private CmaHeader() {
    }

    /** Writes all 36 bytes; the IP version is that of the addresses. */
    public static void write(MutableDirectBuffer buffer, int offset, Gid source, Gid destination, int sourcePort) {
        buffer.setMemory(offset, LENGTH, (byte) 0);
        MadFields.bits(buffer, offset + IP_VERSION_OFFSET, 4, 4, source.isIpv4() ? 4 : 6);
        MadFields.int16(buffer, offset + SOURCE_PORT_OFFSET, sourcePort);
        address(buffer, offset + SOURCE_ADDRESS_OFFSET, source);
        address(buffer, offset + DESTINATION_ADDRESS_OFFSET, destination);
    }

    /** {@return the version of this header; only 0 is defined} */
    public static int version(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + VERSION_OFFSET);
    }

    /** {@return 4 or 6; anything else is malformed} */
    public static int ipVersion(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + IP_VERSION_OFFSET, 4, 4);
    }

    /** {@return port of the requester, 0 to 65535} */
    public static int sourcePort(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + SOURCE_PORT_OFFSET);
    }

    /** {@return address of the requester, as a GID} */
    public static Gid sourceAddress(DirectBuffer buffer, int offset) {
        return address(buffer, offset + SOURCE_ADDRESS_OFFSET, ipVersion(buffer, offset));
    }

    /** {@return address the requester sends to, as a GID} */
    public static Gid destinationAddress(DirectBuffer buffer, int offset) {
        return address(buffer, offset + DESTINATION_ADDRESS_OFFSET, ipVersion(buffer, offset));
    }

    /**
     * The service ID of a port.
     *
     * @param portSpace 16 bits, for instance 0x0106 for TCP.
     * @param port      0 to 65535.
     */
    public static long serviceId(int portSpace, int port) {
        return (long) portSpace << 16 | port;
    }

    private static Gid address(DirectBuffer buffer, int index, int ipVersion) {
        return ipVersion == 4 ? Gid.ofIpv4(MadFields.int32(buffer, index + IPV4_OFFSET)) : MadFields.gid(buffer, index);
    }

    private static void address(MutableDirectBuffer buffer, int index, Gid address) {
        if (address.isIpv4()) {
            MadFields.int32(buffer, index + IPV4_OFFSET, address.ipv4());
        } else {
            MadFields.gid(buffer, index, address);
        }
    }
}
