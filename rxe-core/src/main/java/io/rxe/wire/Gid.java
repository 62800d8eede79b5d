package io.rxe.wire;

/**
 * A global identifier: the 128 bits that address a port. On RoCEv2 it is an IPv6 address, or an IPv4 address mapped into one
 * (::ffff:a.b.c.d). Part of the public API, unlike its package.
 *
 * @param high bytes 0 to 7, byte 0 most significant.
 * @param low bytes 8 to 15, byte 8 most significant.
 */
public record Gid(long high, long low) {
    private static final String MAPPED = "::ffff:";
    private static final long IPV4_PREFIX = 0x0000_FFFFL;
    private static final int IPV4_BROADCAST = 0xFFFF_FFFF;
    private static final long GUID_FLAGS = 0x0300_0000_0000_0000L;
    private static final long LOCALLY_ADMINISTERED = 0x0200_0000_0000_0000L;
    private static final long GUID_OF_IPV4 = 0x0052_5845_0000_0000L;

    /** {@return the GID of an IPv4 address given as a number: 10.0.0.1 is 0x0A000001} */
    public static Gid ofIpv4(int address) {
        return new Gid(0, IPV4_PREFIX << 32 | address & 0xFFFF_FFFFL);
    }

    /**
     * Makes a GID from address bytes in network order.
     *
     * @param bytes 4 bytes of an IPv4 address or 16 of an IPv6 address.
     */
    public static Gid of(byte[] bytes) {
        if (bytes.length == 4) {
            return ofIpv4((int) word(bytes, 0, 4));
        }
        if (bytes.length == 16) {
            return new Gid(word(bytes, 0, 8), word(bytes, 8, 8));
        }
        throw new IllegalArgumentException("address of " + bytes.length + " bytes: give 4 (IPv4) or 16 (IPv6)");
    }

    /**
     * Parses a GID.
     *
     * @param text an IPv4 address, an IPv6 address (also ending in an IPv4 one), or 32 hex digits as
     *     {@link #toWireString} writes them.
     */
    public static Gid parse(String text) {
        return GidText.parse(text);
    }

    /** {@return whether it is an IPv4 address mapped into IPv6} */
    public boolean isIpv4() {
        return high == 0 && low >>> 32 == IPV4_PREFIX;
    }

    /** {@return the IPv4 address as a number; valid only when {@link #isIpv4}} */
    public int ipv4() {
        return (int) low;
    }

    /** {@return 16 bytes in network order} */
    public byte[] toBytes() {
        byte[] bytes = new byte[16];
        for (int i = 0; i < 8; i++) {
            bytes[i] = (byte) (high >>> 56 - 8 * i);
            bytes[8 + i] = (byte) (low >>> 56 - 8 * i);
        }
        return bytes;
    }

    /** {@return 32 lower-case hex digits, the form in which the verbs examples exchange GIDs} */
    public String toWireString() {
        return GidText.hex(high) + GidText.hex(low);
    }

    /** {@return IPv6 text as inet_ntop prints it; an IPv4 address as ::ffff:a.b.c.d} */
    @Override
    public String toString() {
        return GidText.format(this);
    }

    /** {@return the IP address as users write it: as {@link #toString}, but an IPv4 address as a.b.c.d} */
    public String address() {
        return isIpv4() ? toString().substring(MAPPED.length()) : toString();
    }

    /**
     * Derives the GUID of the adapter whose port has this address. rdma_rxe derives it from the MAC address instead. Adapters that share
     * an interface, including the kernel's, would then have the same GUID, and peers distinguish connections by it.
     *
     * @return a locally administered EUI-64: the same after every start, different for every IPv4 address.
     */
    public long adapterGuid() {
        long bits = isIpv4() ? GUID_OF_IPV4 | ipv4() & 0xFFFF_FFFFL : high * 31 ^ low;
        return bits & ~GUID_FLAGS | LOCALLY_ADMINISTERED;
    }

    private static long word(byte[] bytes, int from, int count) {
        long value = 0;
        for (int i = 0; i < count; i++) {
            value = value << 8 | bytes[from + i] & 0xFF;
        }
        return value;
    }

    /**
     * {@return whether it can be the address of one host: not a multicast group, not the limited broadcast address, not unspecified}
     * The broadcast address of a subnet is not recognised, since the prefix length is not known here.
     */
    public boolean isUnicast() {
        if (isIpv4()) {
            return !isMulticast() && ipv4() != 0 && ipv4() != IPV4_BROADCAST;
        }
        return !isMulticast() && (high | low) != 0;
    }

    /** {@return whether it is a multicast address: 224.0.0.0/4 or ff00::/8} */
    public boolean isMulticast() {
        return isIpv4() ? ipv4() >>> 28 == 0xE : high >>> 56 == 0xFF;
    }

    /** As a record has it, which Java makes at its first call, in a tenth of the time that a program takes to start. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Gid gid && gid.high == high && gid.low == low;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(high) + Long.hashCode(low);
    }
}
