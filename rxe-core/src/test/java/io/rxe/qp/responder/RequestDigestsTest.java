package io.rxe.qp.responder;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import io.rxe.qp.context.InboundPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is remembered of requests that were kept, when sequence numbers have grown. */
class RequestDigestsTest {
    private static final Flow FLOW = new Flow(Gid.parse("10.0.0.2"), Gid.parse("10.0.0.1"), 4791, 4791);

    private final RequestDigests digests = new RequestDigests();

    private static InboundPacket request(Opcode opcode) {
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[opcode.headerLength() + 4]);
        Bth.write(bytes, 0, opcode, false, 0, 0x11, false, 0);
        InboundPacket packet = new InboundPacket();
        packet.wrap(bytes, 0, bytes.capacity(), FLOW);
        return packet;
    }

    @Test
    @DisplayName("R3 of requests that were not kept nothing contradicts, also after 2^32 packets")
    void nothingIsRemembered() {
        digests.start();
        digests.add((1L << 24) + 5, request(Opcode.RC_SEND_ONLY));
        for (long wraps = 1; wraps < 4; wraps++) {
            assertFalse(digests.contradict(wraps << Integer.SIZE, request(Opcode.RC_SEND_ONLY)), wraps + " times 2^32");
        }
    }

    @Test
    @DisplayName("R3 another request with the sequence number of a kept one contradicts it, a repetition does not")
    void anotherRequest() {
        long seq = (1L << 24) + 5;
        digests.start();
        digests.add(seq, request(Opcode.RC_SEND_ONLY));
        assertFalse(digests.contradict(seq, request(Opcode.RC_SEND_ONLY)));
        assertTrue(digests.contradict(seq, request(Opcode.RC_SEND_LAST)));
        assertFalse(digests.contradict(seq + ReorderBuffer.WINDOW, request(Opcode.RC_SEND_LAST)));
    }
}
