package io.rxe.tools.pingpong;

import io.rxe.wire.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * The address that each side of {@code xsrq_pingpong} sends: 66 bytes of text, the last one 0, in the form
 * {@code 0000:762aeb:b87fa1:60ecfd:ee1fcc:00000000000000000000ffff7f010002}.
 *
 * @param lid         local identifier; 0 on Ethernet.
 * @param receiveQpn  number of the XRC_RECV queue pair.
 * @param sendQpn     number of the XRC_SEND queue pair.
 * @param psn         PSN of the first request of either.
 * @param queueNumber number of the shared receive queue.
 * @param gid         address of its port, or null if the peer sent none.
 */
record XsrqAddress(int lid, int receiveQpn, int sendQpn, int psn, int queueNumber, Gid gid) {
    /** Length of the message, with the final 0. */
    static final int WIRE_BYTES = 66;

    private static final int FIELDS = 6;
    private static final int GID_FIELD = 5;

    /** The message. */
    byte[] toWire() {
        String text = String.format(Locale.ROOT, "%04x:%06x:%06x:%06x:%06x:%s", lid, receiveQpn, sendQpn, psn, queueNumber,
            gid.toWireString());
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), WIRE_BYTES);
    }

    /**
     * Reads a message.
     *
     * @throws IllegalArgumentException for another form; its text shows the message and the remedy.
     */
    static XsrqAddress parse(byte[] message) {
        return AddressText.parse(message, FIELDS, "six", "an xsrq_pingpong", XsrqAddress::ofFields);
    }

    private static XsrqAddress ofFields(String[] fields) {
        int[] numbers = new int[GID_FIELD];
        for (int i = 0; i < GID_FIELD; i++) {
            numbers[i] = Integer.parseUnsignedInt(fields[i], 16);
            if (numbers[i] < 0 || numbers[i] > AddressText.MAX_24_BITS) {
                throw new NumberFormatException("a number beyond 24 bits");
            }
        }
        return new XsrqAddress(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], AddressText.gid(fields[GID_FIELD]));
    }

    /** In the format of the stock program. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "LID %04x, QPN RECV %06x SEND %06x, PSN %06x, SRQN %06x, GID %s", lid, receiveQpn, sendQpn, psn,
            queueNumber, gid == null ? "::" : gid);
    }
}
