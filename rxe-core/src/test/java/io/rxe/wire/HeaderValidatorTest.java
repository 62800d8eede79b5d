package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class HeaderValidatorTest {
    @Test
    void everyKernelFrameIsGoodExceptThoseInjectedToBeDropped() {
        Map<String, DropReason> refused = new TreeMap<>();
        for (GoldenFrame frame : GoldenCaptures.all()) {
            DropReason reason = HeaderValidator.check(frame.buffer(), frame.offset(), frame.length());
            if (reason != DropReason.NONE) {
                refused.put(frame.capture() + "#" + frame.number(), reason);
            }
        }
        Map<String, DropReason> expected = new TreeMap<>();
        expected.put("cases/22d_tver1#1", DropReason.UNSUPPORTED_TRANSPORT_VERSION);
        for (String code : List.of("15", "1f", "ff")) {
            expected.put("cases/50_unknown_op_" + code + "#1", DropReason.UNKNOWN_OPCODE);
        }
        assertEquals(expected, refused);
    }

    @Test
    void everyOpcodeAtEveryShortLengthIsJudgedByItsHeaders() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
        for (int code = 0; code < 256; code++) {
            Opcode opcode = Opcode.of(code);
            for (int pad = 0; pad < 4; pad++) {
                HeaderField.BTH_OPCODE.set(buffer, 0, code);
                HeaderField.BTH_PAD_COUNT.set(buffer, 0, pad);
                HeaderField.BTH_QPN.set(buffer, 0, 0x11);
                for (int length = 0; length <= 64; length++) {
                    assertEquals(expected(opcode, pad, length), HeaderValidator.check(buffer, 0, length),
                        "opcode " + code + " pad " + pad + " length " + length);
                }
            }
        }
    }

    /** A second statement of the rules, in the order in which reasons are checked. */
    private static DropReason expected(Opcode opcode, int pad, int length) {
        if (length < 16) {
            return DropReason.DATAGRAM_TOO_SHORT;
        }
        if (opcode == null) {
            return DropReason.UNKNOWN_OPCODE;
        }
        if (length % 4 != 0) {
            return DropReason.LENGTH_NOT_MULTIPLE_OF_FOUR;
        }
        if (opcode.headerLength() + 4 > length) {
            return DropReason.HEADERS_TRUNCATED;
        }
        return opcode.headerLength() + pad + 4 > length ? DropReason.BAD_PADDING : DropReason.NONE;
    }

    @Test
    void afterNoneEveryAccessorStaysInsideTheDatagram() {
        Random random = new Random(7);
        int good = 0;
        for (int i = 0; i < 200_000; i++) {
            int length = random.nextInt(80);
            // The buffer ends where the datagram ends, and bounds are checked: reading outside would throw.
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            UnsafeBuffer buffer = new UnsafeBuffer(bytes);
            if (length > 1 && random.nextInt(4) != 0) {
                bytes[0] = (byte) Opcode.values()[random.nextInt(Opcode.values().length)].code();
                bytes[1] &= 0x30;
            }
            PacketText.verbose(buffer, 0, length);
            if (HeaderValidator.check(buffer, 0, length) == DropReason.NONE) {
                good++;
                Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
                int payload = HeaderValidator.payloadLength(buffer, 0, length, opcode);
                assertEquals(length, opcode.headerLength() + payload + Bth.padCount(buffer, 0) + 4);
                buffer.boundsCheck(opcode.headerLength(), payload);
            }
        }
        assertTrue(good > 10_000, "only " + good + " packets were good");
    }

    @Test
    void versionQueuePairZeroAndOverlongDatagramsAreDropped() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[8192]);
        Bth.write(buffer, 16, Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, false, 0, 0x11, true, 0);
        assertEquals(DropReason.NONE, HeaderValidator.check(buffer, 16, 4132));
        Bth.write(buffer, 16, Opcode.XRC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, false, 0, 0x11, true, 0);
        assertEquals(DropReason.NONE, HeaderValidator.check(buffer, 16, 4136));
        assertEquals(DropReason.DATAGRAM_TOO_LONG, HeaderValidator.check(buffer, 16, 4137));
        assertEquals(DropReason.DATAGRAM_TOO_LONG, HeaderValidator.check(buffer, 16, 4140));
        for (int version = 1; version < 16; version++) {
            HeaderField.BTH_VERSION.set(buffer, 16, version);
            assertEquals(DropReason.UNSUPPORTED_TRANSPORT_VERSION, HeaderValidator.check(buffer, 16, 64));
        }
        HeaderField.BTH_VERSION.set(buffer, 16, 0);
        HeaderField.BTH_QPN.set(buffer, 16, 0);
        assertEquals(DropReason.RESERVED_QUEUE_PAIR, HeaderValidator.check(buffer, 16, 64));
    }

    @Test
    void migReqCongestionAndReservedBitsAreIgnored() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
        Bth.write(buffer, 0, Opcode.RC_SEND_ONLY, true, 0, 0x11, true, 0xFFFFFF);
        Bth.migrationRequest(buffer, 0, true);
        buffer.putByte(4, (byte) 0xFF);
        buffer.putByte(8, (byte) 0xFF);
        HeaderField.BTH_PARTITION_KEY.set(buffer, 0, 0);
        assertEquals(DropReason.NONE, HeaderValidator.check(buffer, 0, 64));
    }

    @Test
    void behindTheAethOfAnAcknowledgementAnythingMayFollow() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[HeaderValidator.MAX_LENGTH]);
        Bth.write(buffer, 0, Opcode.RC_ACKNOWLEDGE, false, 0, 0x11, false, 0);
        for (int length = 20; length <= HeaderValidator.MAX_LENGTH; length += 4) {
            assertEquals(DropReason.NONE, HeaderValidator.check(buffer, 0, length));
            assertEquals(length - 20, HeaderValidator.payloadLength(buffer, 0, length, Opcode.RC_ACKNOWLEDGE));
        }
    }
}
