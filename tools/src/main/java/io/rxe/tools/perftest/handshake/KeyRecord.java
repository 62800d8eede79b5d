package io.rxe.tools.perftest.handshake;

import io.rxe.tools.side.PeerText;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Number, PSN, key and address of one queue pair, for the other. As text, with fixed widths and a closing 0:
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
public record KeyRecord(int outReads, int qpn, int psn, int rKey, long address, Gid gid) {
    /** Length as text, with the closing 0. */
    public static final int TEXT_BYTES = 108;
    /** Length in binary. */
    public static final int BINARY_BYTES = 56;

    /** Sent before there is a connected queue pair. */
    static final KeyRecord EMPTY = new KeyRecord(0, 0, 0, 0, 0, new Gid(0, 0));

    private static final int GID_BYTES = 16;
    private static final int FIRST_GID_FIELD = 6;
    private static final int FIELDS = FIRST_GID_FIELD + GID_BYTES + 1;
    private static final int MAX_8_BITS = 0xFF;
    private static final int MAX_16_BITS = 0xFFFF;
    private static final int MAX_24_BITS = 0xFFFFFF;
    private static final int OUT_READS_AT = 4;
    private static final int QPN_AT = 8;
    private static final int PSN_AT = 12;
    private static final int RKEY_AT = 16;
    private static final int ADDRESS_AT = 24;
    private static final int GID_AT = 32;

    /** The record in wire format. */
    public byte[] toWire(KeyFormat format) {
        return format == KeyFormat.TEXT ? toText() : toBinary();
    }

    /**
     * Reads a record.
     *
     * @throws IllegalArgumentException for an invalid record; the message shows it.
     */
    public static KeyRecord parse(byte[] message, KeyFormat format) {
        return format == KeyFormat.TEXT ? parseText(message) : parseBinary(message);
    }

    private byte[] toText() {
        StringBuilder text = new StringBuilder(TEXT_BYTES);
        text.append(String.format(Locale.ROOT, "%04x:%04x:%06x:%06x:%08x:%016x:", 0, outReads, qpn, psn, rKey, address));
        for (byte part : gid.toBytes()) {
            text.append(String.format(Locale.ROOT, "%02x:", part));
        }
        text.append("00000000:");
        return Arrays.copyOf(text.toString().getBytes(StandardCharsets.US_ASCII), TEXT_BYTES);
    }

    private static KeyRecord parseText(byte[] message) {
        String text = new String(message, StandardCharsets.ISO_8859_1).replace("\0", "");
        String[] fields = text.split(":", -1);
        try {
            if (fields.length < FIELDS) {
                throw new NumberFormatException(fields.length + " fields instead of " + FIELDS);
            }
            byte[] gid = new byte[GID_BYTES];
            for (int i = 0; i < GID_BYTES; i++) {
                gid[i] = gidByte(fields[FIRST_GID_FIELD + i]);
            }
            return checked(new KeyRecord(Integer.parseUnsignedInt(unsigned(fields[1]), 16),
                Integer.parseUnsignedInt(unsigned(fields[2]), 16), Integer.parseUnsignedInt(unsigned(fields[3]), 16),
                Integer.parseUnsignedInt(unsigned(fields[4]), 16), Long.parseUnsignedLong(unsigned(fields[5]), 16), Gid.of(gid)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the peer's key record '" + PeerText.printable(text)
                + "' cannot be read (" + PeerText.printable(e.getMessage())
                + "): is the same test running at the other end, on a RoCE device?", e);
        }
    }

    private static byte gidByte(String field) {
        int value = Integer.parseUnsignedInt(unsigned(field), 16);
        if (value < 0 || value > MAX_8_BITS) {
            throw new NumberFormatException("'" + field + "' of the GID is beyond 8 bits");
        }
        return (byte) value;
    }

    /** The parsers of Java take a sign, which perftest never writes. */
    private static String unsigned(String field) {
        if (field.startsWith("-") || field.startsWith("+")) {
            throw new NumberFormatException("'" + field + "' has a sign");
        }
        return field;
    }

    private byte[] toBinary() {
        ByteBuffer record = ByteBuffer.allocate(BINARY_BYTES);
        record.putInt(OUT_READS_AT, outReads).putInt(QPN_AT, qpn).putInt(PSN_AT, psn).putInt(RKEY_AT, rKey)
            .putLong(ADDRESS_AT, address).put(GID_AT, gid.toBytes());
        return record.array();
    }

    private static KeyRecord parseBinary(byte[] message) {
        ByteBuffer record = ByteBuffer.wrap(message);
        byte[] gid = new byte[GID_BYTES];
        record.get(GID_AT, gid);
        try {
            return checked(new KeyRecord(record.getInt(OUT_READS_AT), record.getInt(QPN_AT), record.getInt(PSN_AT),
                record.getInt(RKEY_AT), record.getLong(ADDRESS_AT), Gid.of(gid)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the peer's key record cannot be used (" + e.getMessage()
                + "): is the same test running at the other end?", e);
        }
    }

    private static KeyRecord checked(KeyRecord record) {
        if (record.qpn < 0 || record.qpn > MAX_24_BITS || record.psn < 0 || record.psn > MAX_24_BITS) {
            throw new NumberFormatException("queue pair number or PSN beyond 24 bits");
        }
        if (record.outReads < 0 || record.outReads > MAX_16_BITS) {
            throw new NumberFormatException("number of outstanding READs beyond 16 bits");
        }
        return record;
    }

    /** The bytes of the GID as perftest prints them, in decimal. */
    public String gidText() {
        StringBuilder text = new StringBuilder();
        for (byte part : gid.toBytes()) {
            text.append(text.isEmpty() ? "" : ":").append(String.format(Locale.ROOT, "%02d", part & 0xFF));
        }
        return text.toString();
    }
}
