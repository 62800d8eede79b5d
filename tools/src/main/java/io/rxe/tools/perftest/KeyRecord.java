package io.rxe.tools.perftest;

import io.rxe.tools.side.PeerLink;
import io.rxe.wire.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

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

    private static final int GID_BYTES = 16;
    private static final int FIRST_GID_FIELD = 6;
    private static final int FIELDS = FIRST_GID_FIELD + GID_BYTES + 1;
    private static final int MAX_8_BITS = 0xFF;
    private static final int MAX_16_BITS = 0xFFFF;
    private static final int MAX_24_BITS = 0xFFFFFF;

    /** The record in wire format. */
    byte[] toWire() {
        StringBuilder text = new StringBuilder(WIRE_BYTES);
        text.append(String.format(Locale.ROOT, "%04x:%04x:%06x:%06x:%08x:%016x:", 0, outReads, qpn, psn, rKey, address));
        for (byte part : gid.toBytes()) {
            text.append(String.format(Locale.ROOT, "%02x:", part));
        }
        text.append("00000000:");
        return Arrays.copyOf(text.toString().getBytes(StandardCharsets.US_ASCII), WIRE_BYTES);
    }

    /**
     * Reads a record.
     *
     * @throws IllegalArgumentException for an invalid record; the message shows it.
     */
    static KeyRecord parse(byte[] message) {
        String text = new String(message, StandardCharsets.ISO_8859_1).replace("\0", "");
        String[] fields = text.split(":", -1);
        try {
            if (fields.length < FIELDS) {
                throw new NumberFormatException(fields.length + " fields instead of " + FIELDS);
            }
            byte[] gid = new byte[GID_BYTES];
            for (int i = 0; i < GID_BYTES; i++) {
                gid[i] = (byte) number(fields[FIRST_GID_FIELD + i], MAX_8_BITS);
            }
            return new KeyRecord(number(fields[1], MAX_16_BITS), number(fields[2], MAX_24_BITS), number(fields[3], MAX_24_BITS),
                Integer.parseUnsignedInt(unsigned(fields[4]), 16), Long.parseUnsignedLong(unsigned(fields[5]), 16), Gid.of(gid));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the peer's key record '" + PeerLink.printable(text) + "' cannot be read ("
                + PeerLink.printable(e.getMessage()) + "): is the same test running at the other end, on a RoCE device?", e);
        }
    }

    private static int number(String field, int most) {
        int value = Integer.parseUnsignedInt(unsigned(field), 16);
        if (value < 0 || value > most) {
            throw new NumberFormatException("'" + field + "' is beyond " + Integer.toHexString(most));
        }
        return value;
    }

    /** The parsers of Java take a sign, which perftest never writes. */
    private static String unsigned(String field) {
        if (field.startsWith("-") || field.startsWith("+")) {
            throw new NumberFormatException("'" + field + "' has a sign");
        }
        return field;
    }

    /** The bytes of the GID as perftest prints them, in decimal. */
    String gidText() {
        StringBuilder text = new StringBuilder();
        for (byte part : gid.toBytes()) {
            text.append(text.isEmpty() ? "" : ":").append(String.format(Locale.ROOT, "%02d", part & 0xFF));
        }
        return text.toString();
    }
}
