package io.rxe.capture;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Adds Ethernet, IP and UDP headers to a RoCEv2 packet, as the kernel would: for captures of packets a socket sent or received,
 * and for test vectors.
 *
 * <p>Set the addresses once, then write many frames. Defaults: no VLAN, invented Ethernet addresses, traffic class 0, hop limit 64,
 * do not fragment, UDP checksum 0.
 */
public final class RoceFrameWriter {
    /** Most header bytes in front of the packet: Ethernet, IPv6, UDP. */
    public static final int MAX_HEADER_LENGTH = 14 + 40 + 8;

    private static final int ETHERNET_LENGTH = 14;
    private static final int IPV4_LENGTH = 20;
    private static final int IPV6_LENGTH = 40;
    private static final int UDP_LENGTH = 8;
    private static final int DONT_FRAGMENT = 0x4000;

    private final Gid source;
    private final Gid destination;
    private final int sourcePort;
    private final int destinationPort;
    private long sourceEthernet = 0x0200_0000_0001L;
    private long destinationEthernet = 0x0200_0000_0002L;
    private int trafficClass;
    private int hopLimit = 64;
    private int fragmentWord = DONT_FRAGMENT;
    private int udpChecksum;

    /** @throws IllegalArgumentException when one address is IPv4 and the other IPv6. */
    public RoceFrameWriter(Gid source, Gid destination, int sourcePort, int destinationPort) {
        if (source.isIpv4() != destination.isIpv4()) {
            throw new IllegalArgumentException("source " + source + " and destination " + destination
                + " are of different families: use two IPv4 or two IPv6 addresses");
        }
        this.source = source;
        this.destination = destination;
        this.sourcePort = sourcePort;
        this.destinationPort = destinationPort;
    }

    /** Sets the Ethernet addresses, 48 bits each. */
    public RoceFrameWriter ethernet(long source, long destination) {
        this.sourceEthernet = source;
        this.destinationEthernet = destination;
        return this;
    }

    /** Sets type of service or traffic class, 0 to 255. */
    public RoceFrameWriter trafficClass(int trafficClass) {
        this.trafficClass = trafficClass & 0xFF;
        return this;
    }

    /** Sets time to live or hop limit, 0 to 255. */
    public RoceFrameWriter hopLimit(int hopLimit) {
        this.hopLimit = hopLimit & 0xFF;
        return this;
    }

    /** Sets the IPv4 flag "do not fragment". */
    public RoceFrameWriter dontFragment(boolean dontFragment) {
        this.fragmentWord = dontFragment ? DONT_FRAGMENT : 0;
        return this;
    }

    /** Sets the UDP checksum; the writer does not compute one. */
    public RoceFrameWriter udpChecksum(int udpChecksum) {
        this.udpChecksum = udpChecksum & 0xFFFF;
        return this;
    }

    /** {@return header bytes in front of the packet} */
    public int headerLength() {
        return ETHERNET_LENGTH + (source.isIpv4() ? IPV4_LENGTH : IPV6_LENGTH) + UDP_LENGTH;
    }

    /**
     * Writes one Ethernet frame.
     *
     * @param out has room for {@link #headerLength} bytes and the packet from offset on.
     * @param payload the packet with its ICRC; may be {@code out} itself when the packet is already in its place.
     * @param ipId IPv4 identification, 0 to 65535; ignored for IPv6.
     * @return length of the frame in bytes.
     */
    public int write(MutableDirectBuffer out, int offset, DirectBuffer payload, int payloadOffset, int payloadLength, int ipId) {
        out.putBytes(offset + headerLength(), payload, payloadOffset, payloadLength);
        putLow48(out, offset, destinationEthernet);
        putLow48(out, offset + 6, sourceEthernet);
        out.putShort(offset + 12, (short) (source.isIpv4() ? 0x0800 : 0x86DD), BIG_ENDIAN);
        int ip = offset + ETHERNET_LENGTH;
        int udpLength = UDP_LENGTH + payloadLength;
        int udp = source.isIpv4() ? putIpv4(out, ip, udpLength, ipId) : putIpv6(out, ip, udpLength);
        out.putShort(udp, (short) sourcePort, BIG_ENDIAN);
        out.putShort(udp + 2, (short) destinationPort, BIG_ENDIAN);
        out.putShort(udp + 4, (short) udpLength, BIG_ENDIAN);
        out.putShort(udp + 6, (short) udpChecksum, BIG_ENDIAN);
        return headerLength() + payloadLength;
    }

    private int putIpv4(MutableDirectBuffer out, int ip, int udpLength, int ipId) {
        out.putInt(ip, 0x4500_0000 | trafficClass << 16 | IPV4_LENGTH + udpLength & 0xFFFF, BIG_ENDIAN);
        out.putInt(ip + 4, ipId << 16 | fragmentWord, BIG_ENDIAN);
        out.putInt(ip + 8, hopLimit << 24 | 17 << 16, BIG_ENDIAN);
        out.putInt(ip + 12, source.ipv4(), BIG_ENDIAN);
        out.putInt(ip + 16, destination.ipv4(), BIG_ENDIAN);
        int sum = 0;
        for (int at = 0; at < IPV4_LENGTH; at += 2) {
            sum += out.getShort(ip + at, BIG_ENDIAN) & 0xFFFF;
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        out.putShort(ip + 10, (short) ~(sum + (sum >>> 16)), BIG_ENDIAN);
        return ip + IPV4_LENGTH;
    }

    private int putIpv6(MutableDirectBuffer out, int ip, int udpLength) {
        out.putInt(ip, 0x6000_0000 | trafficClass << 20, BIG_ENDIAN);
        out.putInt(ip + 4, udpLength << 16 | 17 << 8 | hopLimit, BIG_ENDIAN);
        putGid(out, ip + 8, source);
        putGid(out, ip + 24, destination);
        return ip + IPV6_LENGTH;
    }

    private static void putGid(MutableDirectBuffer out, int offset, Gid gid) {
        out.putLong(offset, gid.high(), BIG_ENDIAN);
        out.putLong(offset + 8, gid.low(), BIG_ENDIAN);
    }

    private static void putLow48(MutableDirectBuffer out, int offset, long value) {
        out.putShort(offset, (short) (value >>> 32), BIG_ENDIAN);
        out.putInt(offset + 2, (int) value, BIG_ENDIAN);
    }
}
