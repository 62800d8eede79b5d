package io.rxe.capture;

/** Link header types of captured frames (the LINKTYPE registry of tcpdump.org). */
public final class LinkType {
    /** Ethernet, with or without VLAN tags. */
    public static final int ETHERNET = 1;
    /** An IPv4 or IPv6 header; the first four bits are the version. */
    public static final int RAW_IP = 101;
    /** Linux "cooked" capture, 16 bytes: what tcpdump -i any wrote until 2019. */
    public static final int LINUX_SLL = 113;
    /** An IPv4 header. */
    public static final int IPV4 = 228;
    /** An IPv6 header. */
    public static final int IPV6 = 229;
    /** Linux "cooked" capture version 2, 20 bytes: what tcpdump -i any writes. */
    public static final int LINUX_SLL2 = 276;

    private LinkType() {
    }

    /** {@return whether {@link RoceFrame} can decode frames of this link type} */
    public static boolean isKnown(int linkType) {
        return switch (linkType) {
            case ETHERNET, RAW_IP, LINUX_SLL, IPV4, IPV6, LINUX_SLL2 -> true;
            default -> false;
        };
    }
}
