package io.rxe.verbs;

import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The address of a peer: of a connected queue pair, or the destination of a datagram. Immutable.
 *
 * @param destination    GID of the peer's port: an IPv4 or IPv6 address.
 * @param udpPort        UDP port of the peer, 1 to 65535: 4791 except in tests.
 * @param trafficClass   IPv4 TOS or IPv6 traffic class of the packets, 0 to 255: the DSCP times 4. As with adapters, the two low bits
 *                       (ECN) are stored and not sent: whether routers may mark a packet is decided by the NIC.
 * @param hopLimit       IPv4 TTL or IPv6 hop limit, 1 to 255. Stored only: packets leave with the value of the NIC's socket.
 */
public record AddressVector(Gid destination, int udpPort, int trafficClass, int hopLimit) {
    /** The UDP port of RoCEv2. */
    public static final int ROCE_PORT = 4791;

    private static final int ECN_BITS = 3;

    /** @throws IllegalArgumentException for a value out of range. */
    public AddressVector {
        Objects.requireNonNull(destination, "the destination is null: give the GID of the peer's port");
        if (udpPort < 1 || udpPort > 65535) {
            throw new IllegalArgumentException("UDP port " + udpPort + " is not in 1..65535: RoCEv2 uses " + ROCE_PORT);
        }
        if (trafficClass < 0 || trafficClass > 255) {
            throw new IllegalArgumentException("traffic class " + trafficClass + " is not in 0..255: the DSCP, 0 to 63, times 4");
        }
        if (hopLimit < 1 || hopLimit > 255) {
            throw new IllegalArgumentException("hop limit " + hopLimit + " is not in 1..255");
        }
    }

    /** Returns the traffic class that packets leave with: the DSCP without the ECN bits. */
    public int dscpClass() {
        return trafficClass & ~ECN_BITS;
    }

    /** Returns the address of the peer at a GID, on UDP port 4791. */
    public static AddressVector to(Gid destination) {
        return new AddressVector(destination, ROCE_PORT, 0, 64);
    }

    /** Returns the address of the peer at a GID, on UDP port 1 to 65535. */
    public static AddressVector to(Gid destination, int udpPort) {
        return new AddressVector(destination, udpPort, 0, 64);
    }

    /**
     * Returns the address of the sender of a received datagram, with its traffic class, from the GRH in front of it.
     *
     * @param header the 40 bytes from its position on: 20 unused bytes and an IPv4 header, or an IPv6 header. Its position does not
     *               change.
     */
    public static AddressVector ofSender(ByteBuffer header) {
        int at = header.position();
        boolean ipv6 = header.get(at) >> 4 == 6;
        byte[] address = new byte[ipv6 ? 16 : 4];
        header.get(at + (ipv6 ? 8 : 32), address);
        int trafficClass = ipv6 ? header.get(at) << 4 | header.get(at + 1) >>> 4 & 0xF : header.get(at + 21);
        return new AddressVector(Gid.of(address), ROCE_PORT, trafficClass & 0xFF, 64);
    }
}
