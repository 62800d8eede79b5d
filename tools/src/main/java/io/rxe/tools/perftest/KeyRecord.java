package io.rxe.tools.perftest;

import io.rxe.tools.side.PeerLink;
import io.rxe.wire.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Number, PSN, key and address of one queue pair, for the other. Text of fixed widths with a closing 0:
 *
 * <pre>
 *   lid:out_reads:qpn:psn:rkey:vaddr:g0:g1: ... :g15:srqn:
 *   0000:0001:000011:9a2b3c:00001234:00007f0011220000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000:
 * </pre>
 *
 * @param outReads responder resources: READs and atomics the peer may have outstanding.
 * @param qpn      queue pair number.
 * @param psn      PSN of the first request it sends.
 * @param rKey     remote key of its memory, or 0.
 * @param address  address of the first byte the peer may access.
 * @param gid      GID of its port.
 */
record KeyRecord(int outReads, int qpn, int psn, int rKey, long address, Gid gid) {
    /** Length of a record, with the closing 0. */
    static final int WIRE_BYTES = 108;

    private static final HexFormat GID = HexFormat.ofDelimiter(":");
    private static final Pattern FORM = Pattern.compile(
        "(?i)HEX{4}:(HEX{4}):(HEX{6}):(HEX{6}):(HEX{8}):(HEX{16}):((?:HEX{2}:){15}HEX{2}):.*".replace("HEX", "[0-9a-f]"));

    byte[] toWire() {
        String text = String.format("%04x:%04x:%06x:%06x:%08x:%016x:%s:00000000:", 0, outReads, qpn, psn, rKey, address,
            GID.formatHex(gid.toBytes()));
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), WIRE_BYTES);
    }

    /** @throws IllegalArgumentException for an invalid record; the message shows it. */
    static KeyRecord parse(byte[] message) {
        String text = new String(message, StandardCharsets.ISO_8859_1).replace("\0", "");
        Matcher fields = FORM.matcher(text);
        if (!fields.matches()) {
            throw new IllegalArgumentException("the peer's key record '" + PeerLink.printable(text)
                + "' cannot be read: is the same test running at the other end, on a RoCE device?");
        }
        return new KeyRecord(HexFormat.fromHexDigits(fields.group(1)), HexFormat.fromHexDigits(fields.group(2)),
            HexFormat.fromHexDigits(fields.group(3)), HexFormat.fromHexDigits(fields.group(4)),
            HexFormat.fromHexDigitsToLong(fields.group(5)), Gid.of(GID.parseHex(fields.group(6))));
    }

    /** The bytes of the GID as perftest prints them, in decimal. */
    String gidText() {
        StringBuilder text = new StringBuilder();
        for (byte part : gid.toBytes()) {
            text.append(text.isEmpty() ? "" : ":").append(String.format("%02d", part & 0xFF));
        }
        return text.toString();
    }
}
