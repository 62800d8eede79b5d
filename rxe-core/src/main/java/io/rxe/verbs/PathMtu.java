package io.rxe.verbs;

/** Path MTU: payload bytes of a full packet; {@code ibv_mtu}. */
public enum PathMtu {
    MTU_256(256, 1),
    MTU_512(512, 2),
    MTU_1024(1024, 3),
    MTU_2048(2048, 4),
    MTU_4096(4096, 5);

    /** Bytes reserved for everything but payload: IPv6, UDP, BTH, extension headers, pad, ICRC. rdma_rxe reserves the same. */
    public static final int HEADROOM_BYTES = 80;

    private final int bytes;
    private final int code;

    PathMtu(int bytes, int code) {
        this.bytes = bytes;
        this.code = code;
    }

    public int bytes() {
        return bytes;
    }

    /** The code of {@code ibv_mtu} and of the CM messages, 1 to 5. */
    public int code() {
        return code;
    }

    /**
     * Returns the path MTU of a number of payload bytes.
     *
     * @throws IllegalArgumentException for any number but 256, 512, 1024, 2048 and 4096.
     */
    public static PathMtu ofBytes(int bytes) {
        for (PathMtu mtu : values()) {
            if (mtu.bytes == bytes) {
                return mtu;
            }
        }
        throw new IllegalArgumentException("path MTU " + bytes + " does not exist: use 256, 512, 1024, 2048 or 4096");
    }

    /**
     * Returns the path MTU of an {@code ibv_mtu} code, 1 to 5.
     *
     * @throws IllegalArgumentException for any other code.
     */
    public static PathMtu ofCode(int code) {
        for (PathMtu mtu : values()) {
            if (mtu.code == code) {
                return mtu;
            }
        }
        throw new IllegalArgumentException("path MTU code " + code + " does not exist: use 1 (256 bytes) to 5 (4096 bytes)");
    }

    /**
     * Returns the largest path MTU that fits an interface (rdma_rxe: eth_mtu_int_to_enum).
     *
     * @param interfaceMtuBytes largest IP datagram of the interface, in bytes; at least 336.
     * @throws IllegalArgumentException when no path MTU fits.
     */
    public static PathMtu largestFor(int interfaceMtuBytes) {
        PathMtu largest = null;
        for (PathMtu mtu : values()) {
            if (mtu.bytes + HEADROOM_BYTES <= interfaceMtuBytes) {
                largest = mtu;
            }
        }
        if (largest == null) {
            throw new IllegalArgumentException("interface MTU " + interfaceMtuBytes + " < " + (256 + HEADROOM_BYTES)
                + ": raise it, no path MTU fits");
        }
        return largest;
    }
}
