package io.rxe.tools.pingpong;

import io.rxe.wire.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * The address that each side sends before queue pairs can connect: 52 bytes of text, the last one 0, in the form
 * {@code 0000:000011:9a2b3c:00000000000000000000ffff0a000001}.
 *
 * @param lid local identifier; 0 on Ethernet.
 * @param qpn number of the queue pair.
 * @param psn PSN of its first request.
 * @param gid address of its port, or null if the peer sent none.
 */
record PingPongAddress(int lid, int qpn, int psn, Gid gid) {
    /** Length of the message, with the final 0. */
    static final int WIRE_BYTES = 52;
    /** Sent for a queue pair that does not exist. */
    static final PingPongAddress UNUSED = new PingPongAddress(0, 0, 0, new Gid(0, 0));

    private static final int FIELDS = 4;

    /** The message. */
    byte[] toWire() {
        String text = String.format(Locale.ROOT, "%04x:%06x:%06x:%s", lid, qpn, psn, gid.toWireString());
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), WIRE_BYTES);
    }

    /**
     * Reads a message.
     *
     * @throws IllegalArgumentException for another form; its text shows the message and the remedy.
     */
    static PingPongAddress parse(byte[] message) {
        return AddressText.parse(message, FIELDS, "four", "a pingpong of the same kind", PingPongAddress::ofFields);
    }

    private static PingPongAddress ofFields(String[] fields) {
        int lid = Integer.parseUnsignedInt(fields[0], 16);
        int qpn = Integer.parseUnsignedInt(fields[1], 16);
        int psn = Integer.parseUnsignedInt(fields[2], 16);
        if (qpn < 0 || qpn > AddressText.MAX_24_BITS || psn < 0 || psn > AddressText.MAX_24_BITS) {
            throw new NumberFormatException("a queue pair number or PSN beyond 24 bits");
        }
        return new PingPongAddress(lid, qpn, psn, AddressText.gid(fields[3]));
    }

    /** In the format of the stock programs. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", lid, qpn, psn, gid == null ? "::" : gid);
    }
}
