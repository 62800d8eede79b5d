package io.rxe.capture;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.collections.IntHashSet;

/**
 * Finds the RoCEv2 packet inside a captured frame: link header, VLAN tags, IPv4 or IPv6, UDP to port 4791 or to another given
 * port.
 *
 * <p>Reusable: call {@link #decode} for each frame, then the getters, which are valid until the buffer changes. The length of the
 * packet is that of the UDP header, so padding at the end of an Ethernet frame is ignored. Fragments, and IPv6 packets with
 * extension headers, do not count as RoCEv2.
 */
public final class RoceFrame {
    /** UDP destination port of RoCEv2. */
    public static final int UDP_PORT = 4791;

    private static final int ETHERNET_LENGTH = 14;
    private static final int SLL_LENGTH = 16;
    private static final int SLL2_LENGTH = 20;
    private static final int VLAN_TAG_LENGTH = 4;
    private static final int IPV6_LENGTH = 40;
    private static final int UDP_LENGTH = 8;
    private static final int TYPE_IPV4 = 0x0800;
    private static final int TYPE_IPV6 = 0x86DD;
    private static final int PROTOCOL_UDP = 17;
    private static final int FRAGMENT_MASK = 0x3FFF;

    private final IntHashSet udpPorts = new IntHashSet();
    private DirectBuffer buffer;
    private int end;
    private boolean udp;
    private boolean truncated;
    private boolean ipv4;
    private int vlanId;
    private int ipOffset;
    private int udpOffset;
    private int payloadLength;

    /** Creates a decoder for port 4791. */
    public RoceFrame() {
        this(Set.of(UDP_PORT));
    }

    /** @param udpPorts UDP destination ports of RoCEv2 packets, for NICs that use another port than 4791. */
    public RoceFrame(Set<Integer> udpPorts) {
        this.udpPorts.addAll(udpPorts);
        this.vlanId = -1;
    }

    /**
     * Decodes a frame. Never throws for any content.
     *
     * @param offset start of the link header.
     * @param length captured bytes.
     * @param linkType see {@link LinkType}.
     * @return whether it is UDP to one of the ports; the getters are valid only then.
     */
    public boolean decode(DirectBuffer buffer, int offset, int length, int linkType) {
        this.buffer = buffer;
        this.end = offset + length;
        this.vlanId = -1;
        this.udp = decodeLink(offset, linkType) && decodeIp();
        return udp && decodeUdp();
    }

    /** {@return whether the capture truncated the frame inside the packet} */
    public boolean isTruncated() {
        return truncated;
    }

    public DirectBuffer buffer() {
        return buffer;
    }

    public boolean isIpv4() {
        return ipv4;
    }

    /** {@return VLAN id of the innermost tag, 0 to 4095, or -1 without a tag} */
    public int vlanId() {
        return vlanId;
    }

    /** {@return start of the IP header in the buffer} */
    public int ipOffset() {
        return ipOffset;
    }

    /** {@return start of the BTH in the buffer} */
    public int payloadOffset() {
        return udpOffset + UDP_LENGTH;
    }

    /** {@return captured bytes from BTH to ICRC} */
    public int payloadLength() {
        return payloadLength;
    }

    /** {@return bytes from BTH to ICRC as sent, {@link #payloadLength} or more if the capture truncated the frame} */
    public int sentLength() {
        return unsignedShort(udpOffset + 4) - UDP_LENGTH;
    }

    public Gid source() {
        return ipv4 ? Gid.ofIpv4(buffer.getInt(ipOffset + 12, BIG_ENDIAN)) : gid(ipOffset + 8);
    }

    public Gid destination() {
        return ipv4 ? Gid.ofIpv4(buffer.getInt(ipOffset + 16, BIG_ENDIAN)) : gid(ipOffset + 24);
    }

    public int sourcePort() {
        return unsignedShort(udpOffset);
    }

    /** {@return whether the last frame is UDP to any port; {@link #destinationPort} is valid then} */
    public boolean isUdp() {
        return udp;
    }

    public int destinationPort() {
        return unsignedShort(udpOffset + 2);
    }

    /** {@return UDP checksum; 0 = none} */
    public int udpChecksum() {
        return unsignedShort(udpOffset + 6);
    }

    /** {@return IPv4 identification, 0 to 65535, or -1 for IPv6} */
    public int ipId() {
        return ipv4 ? unsignedShort(ipOffset + 4) : -1;
    }

    /** {@return the three IPv4 flags: 4 reserved, 2 do not fragment, 1 more fragments; 0 for IPv6} */
    public int ipFlags() {
        return ipv4 ? unsignedShort(ipOffset + 6) >>> 13 : 0;
    }

    /** {@return whether the IPv4 flag "do not fragment" is set} */
    public boolean isDontFragment() {
        return (ipFlags() & 2) != 0;
    }

    /** {@return IPv4 type of service or IPv6 traffic class, 0 to 255} */
    public int trafficClass() {
        return ipv4 ? buffer.getByte(ipOffset + 1) & 0xFF : unsignedShort(ipOffset) >>> 4 & 0xFF;
    }

    /** {@return time to live or hop limit, 0 to 255} */
    public int hopLimit() {
        return buffer.getByte(ipOffset + (ipv4 ? 8 : 7)) & 0xFF;
    }

    /** {@return contribution of addresses and ports to the ICRC, see {@link Icrc#seed}} */
    public int seed() {
        return Icrc.seed(source(), destination(), sourcePort(), destinationPort());
    }

    /** {@return whether the ICRC is right for this IP header; false for a truncated packet} */
    public boolean isIcrcGood() {
        if (truncated || payloadLength < HeaderValidator.MIN_LENGTH) {
            return false;
        }
        int icrcOffset = payloadOffset() + payloadLength - Icrc.LENGTH;
        return Icrc.isGood(buffer, ipOffset, payloadOffset(), icrcOffset);
    }

    private boolean decodeLink(int offset, int linkType) {
        switch (linkType) {
            case LinkType.ETHERNET:
                return decodeEtherType(offset + ETHERNET_LENGTH - 2, offset + ETHERNET_LENGTH);
            case LinkType.LINUX_SLL:
                return decodeEtherType(offset + SLL_LENGTH - 2, offset + SLL_LENGTH);
            case LinkType.LINUX_SLL2:
                return decodeEtherType(offset, offset + SLL2_LENGTH);
            case LinkType.RAW_IP:
            case LinkType.IPV4:
            case LinkType.IPV6:
                ipOffset = offset;
                return true;
            default:
                return false;
        }
    }

    private boolean decodeEtherType(int typeOffset, int nextOffset) {
        int next = nextOffset;
        if (next > end) {
            return false;
        }
        int type = unsignedShort(typeOffset);
        while (isVlan(type) && next + VLAN_TAG_LENGTH <= end) {
            vlanId = unsignedShort(next) & 0xFFF;
            type = unsignedShort(next + 2);
            next += VLAN_TAG_LENGTH;
        }
        ipOffset = next;
        return type == TYPE_IPV4 || type == TYPE_IPV6;
    }

    private boolean decodeIp() {
        if (ipOffset >= end) {
            return false;
        }
        int version = buffer.getByte(ipOffset) >>> 4 & 0xF;
        ipv4 = version == 4;
        if (!ipv4) {
            udpOffset = ipOffset + IPV6_LENGTH;
            return version == 6 && udpOffset + UDP_LENGTH <= end && buffer.getByte(ipOffset + 6) == PROTOCOL_UDP;
        }
        int headerLength = (buffer.getByte(ipOffset) & 0xF) * 4;
        udpOffset = ipOffset + headerLength;
        return headerLength >= 20 && udpOffset + UDP_LENGTH <= end && buffer.getByte(ipOffset + 9) == PROTOCOL_UDP
            && (unsignedShort(ipOffset + 6) & FRAGMENT_MASK) == 0;
    }

    private boolean decodeUdp() {
        int ipEnd = ipv4 ? ipOffset + unsignedShort(ipOffset + 2) : udpOffset + unsignedShort(ipOffset + 4);
        int udpLength = unsignedShort(udpOffset + 4);
        if (!udpPorts.contains(destinationPort()) || udpLength < UDP_LENGTH || udpOffset + udpLength > ipEnd) {
            return false;
        }
        truncated = udpOffset + udpLength > end;
        payloadLength = Math.min(udpOffset + udpLength, end) - payloadOffset();
        return true;
    }

    private static boolean isVlan(int type) {
        return type == 0x8100 || type == 0x88A8 || type == 0x9100;
    }

    private Gid gid(int offset) {
        return new Gid(buffer.getLong(offset, BIG_ENDIAN), buffer.getLong(offset + 8, BIG_ENDIAN));
    }

    private int unsignedShort(int offset) {
        return buffer.getShort(offset, BIG_ENDIAN) & 0xFFFF;
    }
}
