package io.rxe.wire;

import org.agrona.DirectBuffer;

/** A packet in one line. */
public final class PacketText {
    private PacketText() {
    }

    /** The fields that have another value than the usual one. */
    public static String of(DirectBuffer buffer, int offset, int length) {
        return of(buffer, offset, length, false);
    }

    /** With every field. */
    static String verbose(DirectBuffer buffer, int offset, int length) {
        return of(buffer, offset, length, true);
    }

    private static String of(DirectBuffer buffer, int offset, int length, boolean verbose) {
        StringBuilder text = new StringBuilder();
        new PacketPrinter(text).append(buffer, offset, length, verbose);
        return text.toString();
    }
}
