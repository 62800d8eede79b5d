package io.rxe.capture;

/** Link header types of captured frames (the LINKTYPE registry of tcpdump.org). */
public final class LinkType {
    /** What {@link RoceFrame} decodes, in words. */
    public static final String DECODED = "Ethernet, Linux cooked (what tcpdump -i any writes) and raw IP";

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

    /** {@return the name of a link type in the registry; "unnamed" for those that are seldom met} */
    public static String name(int linkType) {
        return switch (linkType) {
            case 0 -> "NULL, BSD loopback";
            case ETHERNET -> "Ethernet";
            case 6 -> "Token Ring";
            case 9 -> "PPP";
            case 12, 14, RAW_IP -> "raw IP";
            case 105 -> "IEEE 802.11";
            case 108 -> "LOOP, OpenBSD loopback";
            case LINUX_SLL -> "Linux cooked";
            case 119, 127, 163 -> "IEEE 802.11 with radio information";
            case 189, 220 -> "USB";
            case 195, 215, 230 -> "IEEE 802.15.4";
            case 201 -> "Bluetooth";
            case 227 -> "CAN";
            case IPV4 -> "IPv4";
            case IPV6 -> "IPv6";
            case 247 -> "InfiniBand";
            case 253 -> "netlink";
            case LINUX_SLL2 -> "Linux cooked 2";
            default -> "unnamed";
        };
    }

    /** {@return whether {@link RoceFrame} can decode frames of this link type} */
    public static boolean isKnown(int linkType) {
        return switch (linkType) {
            case ETHERNET, RAW_IP, LINUX_SLL, IPV4, IPV6, LINUX_SLL2 -> true;
            default -> false;
        };
    }
}
