package io.rxe.wire;

import org.agrona.DirectBuffer;

/**
 * Checks the structure of a received packet, once, before any other code reads it (rule R16).
 *
 * <p>When {@link #check} returns {@link DropReason#NONE}, the opcode is known, and its headers, the padding and the
 * ICRC lie inside the datagram, so no accessor of this package can read outside it. The responder and the completer check whether
 * the payload's length fits the operation, because a wrong length may require a NAK. Behind the AETH of an acknowledgement a
 * {@link GapReport} may follow, or what a later version sends there: the acknowledgement is good whatever it is.
 */
public final class HeaderValidator {
    /** Shortest packet: BTH and ICRC, in bytes. */
    public static final int MIN_LENGTH = Bth.LENGTH + Icrc.LENGTH;
    /** Longest packet: WRITE ONLY with immediate data over XRC, 4096 bytes of payload, ICRC; in bytes. */
    public static final int MAX_LENGTH = Bth.LENGTH + XrcEth.LENGTH + Reth.LENGTH + ImmDt.LENGTH + 4096 + Icrc.LENGTH;

    private HeaderValidator() {
    }

    /**
     * Checks one received datagram. Never throws for any content.
     *
     * @param offset start of the UDP payload.
     * @param length bytes of UDP payload, with the ICRC.
     * @return {@link DropReason#NONE}, or the reason to drop it.
     */
    public static DropReason check(DirectBuffer buffer, int offset, int length) {
        if (length < MIN_LENGTH) {
            return DropReason.DATAGRAM_TOO_SHORT;
        }
        if (length > MAX_LENGTH) {
            return DropReason.DATAGRAM_TOO_LONG;
        }
        Opcode opcode = Opcode.of(Bth.opcode(buffer, offset));
        if (opcode == null) {
            return DropReason.UNKNOWN_OPCODE;
        }
        if (Bth.transportVersion(buffer, offset) != 0) {
            return DropReason.UNSUPPORTED_TRANSPORT_VERSION;
        }
        if ((length & 3) != 0) {
            return DropReason.LENGTH_NOT_MULTIPLE_OF_FOUR;
        }
        int behindHeaders = length - opcode.headerLength() - Icrc.LENGTH;
        if (behindHeaders < 0) {
            return DropReason.HEADERS_TRUNCATED;
        }
        if (Bth.padCount(buffer, offset) > behindHeaders) {
            return DropReason.BAD_PADDING;
        }
        return Bth.destinationQpn(buffer, offset) == 0 ? DropReason.RESERVED_QUEUE_PAIR : DropReason.NONE;
    }

    /**
     * Returns the payload length of a packet that passed {@link #check}.
     *
     * @param length bytes of UDP payload, with the ICRC.
     * @return bytes between the headers and the padding.
     */
    public static int payloadLength(DirectBuffer buffer, int offset, int length, Opcode opcode) {
        return length - opcode.headerLength() - Bth.padCount(buffer, offset) - Icrc.LENGTH;
    }
}
