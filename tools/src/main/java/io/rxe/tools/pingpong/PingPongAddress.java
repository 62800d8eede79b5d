package io.rxe.tools.pingpong;

import io.rxe.tools.side.PeerLink;
import io.rxe.wire.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    private static final Pattern FORM = Pattern.compile("(HEX{4}):(HEX{6}):(HEX{6}):(HEX{32})".replace("HEX", "[0-9a-fA-F]"));

    /** The message. */
    byte[] toWire() {
        String text = String.format("%04x:%06x:%06x:%s", lid, qpn, psn, gid.toWireString());
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), WIRE_BYTES);
    }

    /** @throws IllegalArgumentException for another form; its text shows the message and the remedy. */
    static PingPongAddress parse(byte[] message) {
        int end = message.length;
        while (end > 0 && message[end - 1] == 0) {
            end--;
        }
        String text = new String(message, 0, end, StandardCharsets.ISO_8859_1);
        Matcher fields = FORM.matcher(text);
        if (!fields.matches()) {
            throw new IllegalArgumentException("the peer's address '" + PeerLink.printable(text)
                + "' cannot be read: is the program at the other end a pingpong of the same kind?");
        }
        Gid gid = Gid.parse(fields.group(4));
        return new PingPongAddress(HexFormat.fromHexDigits(fields.group(1)), HexFormat.fromHexDigits(fields.group(2)),
            HexFormat.fromHexDigits(fields.group(3)), gid.high() == 0 && gid.low() == 0 ? null : gid);
    }

    /** In the format of the stock programs. */
    @Override
    public String toString() {
        return String.format("LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", lid, qpn, psn, gid == null ? "::" : gid);
    }
}
