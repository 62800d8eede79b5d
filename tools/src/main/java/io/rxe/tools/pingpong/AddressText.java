package io.rxe.tools.pingpong;

import io.rxe.tools.side.PeerText;
import io.rxe.wire.Gid;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** The text in which pingpongs send an address: hexadecimal fields between colons, of which the last is a GID of 32 digits. */
final class AddressText {
    static final int MAX_24_BITS = 0xFFFFFF;

    private static final int GID_DIGITS = 32;

    private AddressText() {
    }

    /**
     * Reads a message.
     *
     * @param count    number of fields, and {@code inWords} the same.
     * @param program  what the other end should be, in words.
     * @param ofFields makes the address; may throw IllegalArgumentException.
     * @throws IllegalArgumentException for another form; its text shows the message and the remedy.
     */
    static <A> A parse(byte[] message, int count, String inWords, String program, Function<String[], A> ofFields) {
        int end = message.length;
        while (end > 0 && message[end - 1] == 0) {
            end--;
        }
        String text = new String(message, 0, end, StandardCharsets.ISO_8859_1);
        String[] fields = text.split(":", -1);
        try {
            if (fields.length != count || fields[count - 1].length() != GID_DIGITS) {
                throw new NumberFormatException(inWords + " fields, the last of 32 digits, are needed");
            }
            return ofFields.apply(fields);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the peer's address '" + PeerText.printable(text) + "' cannot be read ("
                + PeerText.printable(e.getMessage()) + "): is the program at the other end " + program + "?", e);
        }
    }

    /** The GID of a field, or null if the peer sent none. */
    static Gid gid(String field) {
        Gid gid = Gid.parse(field);
        return gid.high() == 0 && gid.low() == 0 ? null : gid;
    }
}
