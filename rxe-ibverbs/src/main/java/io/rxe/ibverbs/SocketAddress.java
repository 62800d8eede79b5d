package io.rxe.ibverbs;

import io.rxe.ibverbs.CmLayout.SockaddrIn;
import io.rxe.ibverbs.CmLayout.SockaddrIn6;
import io.rxe.wire.Gid;
import org.agrona.UnsafeApi;

/** Reads and writes {@code sockaddr_in} and {@code sockaddr_in6}, which hold addresses and ports in network order. */
final class SocketAddress {
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final Gid ANY_IPV4 = Gid.ofIpv4(0);
    private static final Gid ANY_IPV6 = new Gid(0, 0);
    private static final int LOOPBACK_NETWORK = 127;
    private static final Gid LOOPBACK_IPV6 = new Gid(0, 1);

    private SocketAddress() {
    }

    /** The address as a GID. The C half has checked the family. */
    static Gid gid(long address) {
        return UnsafeApi.getShort(address + SockaddrIn.SIN_FAMILY) == AF_INET6 ? AhAttributes.gid(address + SockaddrIn6.SIN6_ADDR)
            : Gid.ofIpv4(Integer.reverseBytes(UnsafeApi.getInt(address + SockaddrIn.SIN_ADDR)));
    }

    /**
     * Whether it is no particular address. As to rdma_cm, a loopback address is none, unless the NIC itself is on loopback.
     *
     * @param nic address of the NIC.
     */
    static boolean isAny(long address, Gid nic) {
        Gid gid = gid(address);
        return isUnspecified(gid) || isLoopback(gid) && !isLoopback(nic);
    }

    /** 0.0.0.0 or ::. */
    static boolean isUnspecified(Gid gid) {
        return gid.equals(ANY_IPV4) || gid.equals(ANY_IPV6);
    }

    private static boolean isLoopback(Gid gid) {
        return gid.isIpv4() ? gid.ipv4() >>> 24 == LOOPBACK_NETWORK : gid.equals(LOOPBACK_IPV6);
    }

    /** 0 to 65535. */
    static int port(long address) {
        return Short.reverseBytes(UnsafeApi.getShort(address + SockaddrIn.SIN_PORT)) & 0xFFFF;
    }

    static void port(long address, int port) {
        UnsafeApi.putShort(address + SockaddrIn.SIN_PORT, Short.reverseBytes((short) port));
    }

    static void write(long address, Gid gid, int port) {
        UnsafeApi.setMemory(address, SockaddrIn6.SIZE, (byte) 0);
        port(address, port);
        if (gid.isIpv4()) {
            UnsafeApi.putShort(address + SockaddrIn.SIN_FAMILY, AF_INET);
            UnsafeApi.putInt(address + SockaddrIn.SIN_ADDR, Integer.reverseBytes(gid.ipv4()));
        } else {
            UnsafeApi.putShort(address + SockaddrIn.SIN_FAMILY, AF_INET6);
            AhAttributes.gid(address + SockaddrIn6.SIN6_ADDR, gid);
        }
    }
}
