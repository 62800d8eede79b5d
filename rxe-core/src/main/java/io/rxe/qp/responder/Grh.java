package io.rxe.qp.responder;

import io.rxe.port.Flow;
import java.nio.ByteOrder;
import org.agrona.MutableDirectBuffer;

/**
 * The global route header (GRH): the 40 bytes in front of a received datagram. An IPv6 header, or 20 zero bytes and an IPv4 header, as
 * rdma_rxe delivers them.
 *
 * <p>A receive does not return the IP header, so this one is rebuilt: addresses, lengths and the traffic class, where the port knows it,
 * are those of the packet; identification 0 and hop limit 64 are assumed.
 */
final class Grh {
    static final int LENGTH = 40;

    private static final int IPV4_AT = 20;
    private static final int UDP_HEADER = 8;
    private static final int UDP = 17;
    private static final int HOP_LIMIT = 64;

    private Grh() {
    }

    /** Writes the header; {@code packetLength} is from BTH to ICRC. */
    static void write(MutableDirectBuffer buffer, Flow flow, int packetLength) {
        buffer.setMemory(0, LENGTH, (byte) 0);
        if (flow.isIpv4()) {
            writeIpv4(buffer, flow, packetLength);
        } else {
            buffer.putInt(0, 6 << 28 | flow.trafficClass() << 20, ByteOrder.BIG_ENDIAN);
            buffer.putShort(4, (short) (packetLength + UDP_HEADER), ByteOrder.BIG_ENDIAN);
            buffer.putByte(6, (byte) UDP);
            buffer.putByte(7, (byte) HOP_LIMIT);
            buffer.putLong(8, flow.source().high(), ByteOrder.BIG_ENDIAN);
            buffer.putLong(16, flow.source().low(), ByteOrder.BIG_ENDIAN);
            buffer.putLong(24, flow.destination().high(), ByteOrder.BIG_ENDIAN);
            buffer.putLong(32, flow.destination().low(), ByteOrder.BIG_ENDIAN);
        }
    }

    private static void writeIpv4(MutableDirectBuffer buffer, Flow flow, int packetLength) {
        buffer.putByte(IPV4_AT, (byte) 0x45);
        buffer.putByte(IPV4_AT + 1, (byte) flow.trafficClass());
        buffer.putShort(IPV4_AT + 2, (short) (IPV4_AT + UDP_HEADER + packetLength), ByteOrder.BIG_ENDIAN);
        buffer.putShort(IPV4_AT + 6, (short) 0x4000, ByteOrder.BIG_ENDIAN);
        buffer.putByte(IPV4_AT + 8, (byte) HOP_LIMIT);
        buffer.putByte(IPV4_AT + 9, (byte) UDP);
        buffer.putInt(IPV4_AT + 12, flow.source().ipv4(), ByteOrder.BIG_ENDIAN);
        buffer.putInt(IPV4_AT + 16, flow.destination().ipv4(), ByteOrder.BIG_ENDIAN);
        int sum = 0;
        for (int i = 0; i < 20; i += 2) {
            sum += buffer.getShort(IPV4_AT + i, ByteOrder.BIG_ENDIAN) & 0xFFFF;
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        buffer.putShort(IPV4_AT + 10, (short) ~sum, ByteOrder.BIG_ENDIAN);
    }
}
