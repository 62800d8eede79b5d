package io.rxe.wire;

/** How strongly a received packet's invariant CRC was checked. */
public enum IcrcVerdict {
    /** All 32 bits: the IP header was known (IPv6, or an IP identification that continues the sender's sequence). */
    FULL,
    /** 16 bits: some IP identification makes the CRC right, but which one the sender used could not be told. */
    INFERRED,
    /** No IP identification makes the CRC right: the packet is corrupt, or not meant for these addresses and ports. */
    BAD
}
