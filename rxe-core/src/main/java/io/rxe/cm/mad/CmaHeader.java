package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadField.whole;

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
    public static final int REQ_PRIVATE_DATA_LENGTH = CmReq.PRIVATE_DATA.length() - LENGTH;
    /** Bytes left for the application in the private data of a SIDR_REQ. */
    public static final int SIDR_REQ_PRIVATE_DATA_LENGTH = SidrReq.PRIVATE_DATA.length() - LENGTH;

    /** The version of this header; only 0 is defined. */
    public static final MadField VERSION = whole(0, 1);
    /** 4 or 6; anything else is malformed. */
    public static final MadField IP_VERSION = new MadField(1, 1, 4, 0xF);
    /** Port of the requester, 0 to 65535. */
    public static final MadField SOURCE_PORT = whole(2, 2);

    private static final MadGid SOURCE_ADDRESS = new MadGid(4);
    private static final MadGid DESTINATION_ADDRESS = new MadGid(20);
    /** Of an IPv4 address in the 16 bytes of an address. */
    private static final int IPV4_INDEX = 12;

    private CmaHeader() {
    }

    /** Writes all 36 bytes; the IP version is that of the addresses. */
    public static void write(MutableDirectBuffer buffer, int offset, Gid source, Gid destination, int sourcePort) {
        buffer.setMemory(offset, LENGTH, (byte) 0);
        IP_VERSION.set(buffer, offset, source.isIpv4() ? 4 : 6);
        SOURCE_PORT.set(buffer, offset, sourcePort);
        write(SOURCE_ADDRESS, buffer, offset, source);
        write(DESTINATION_ADDRESS, buffer, offset, destination);
    }

    /** {@return address of the requester, as a GID} */
    public static Gid sourceAddress(DirectBuffer buffer, int offset) {
        return read(SOURCE_ADDRESS, buffer, offset);
    }

    /** {@return address the requester sends to, as a GID} */
    public static Gid destinationAddress(DirectBuffer buffer, int offset) {
        return read(DESTINATION_ADDRESS, buffer, offset);
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

    private static Gid read(MadGid address, DirectBuffer buffer, int offset) {
        return IP_VERSION.get(buffer, offset) == 4 ? Gid.ofIpv4(ipv4(address).get(buffer, offset)) : address.get(buffer, offset);
    }

    private static void write(MadGid address, MutableDirectBuffer buffer, int offset, Gid value) {
        if (value.isIpv4()) {
            ipv4(address).set(buffer, offset, value.ipv4());
        } else {
            address.set(buffer, offset, value);
        }
    }

    private static MadField ipv4(MadGid address) {
        return whole(address.index() + IPV4_INDEX, 4);
    }
}
