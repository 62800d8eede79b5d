package io.rxe.golden;

import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import io.rxe.wire.Bth;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Opcode;
import io.rxe.wire.PacketText;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * One frame of a golden capture.
 *
 * @param capture name of the capture.
 * @param number from 1, as Wireshark counts.
 * @param record the captured bytes and their time.
 * @param roce the decoded frame.
 */
public record GoldenFrame(String capture, int number, CaptureRecord record, RoceFrame roce) {

    /** {@return the buffer of the frame; the packet starts at {@link #offset}} */
    public DirectBuffer buffer() {
        return roce.buffer();
    }

    /** {@return start of the BTH} */
    public int offset() {
        return roce.payloadOffset();
    }

    /** {@return bytes from BTH to ICRC, including both} */
    public int length() {
        return roce.payloadLength();
    }

    /** {@return the opcode of the packet; null when undefined} */
    public Opcode opcode() {
        return Opcode.of(Bth.opcode(buffer(), offset()));
    }

    /** {@return the packet's PSN} */
    public int psn() {
        return Bth.psn(buffer(), offset());
    }

    /** {@return the packet's destination queue pair} */
    public int destinationQpn() {
        return Bth.destinationQpn(buffer(), offset());
    }

    /** {@return bytes of payload} */
    public int payloadLength() {
        return HeaderValidator.payloadLength(buffer(), offset(), length(), opcode());
    }

    /** {@return a copy of the packet, BTH to ICRC} */
    public byte[] packet() {
        return Arrays.copyOfRange(record.bytes(), offset(), offset() + length());
    }

    @Override
    public String toString() {
        return capture + "#" + number + " " + PacketText.of(buffer(), offset(), length());
    }
}
