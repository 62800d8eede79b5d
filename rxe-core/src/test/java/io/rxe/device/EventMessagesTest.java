package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.EventRing;
import io.rxe.port.EngineEvent;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import io.rxe.wire.Syndrome;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventMessagesTest {
    @Test
    void everyEventPrintsItsValueWithItsMeaning() {
        EventRing ring = new EventRing();
        ring.now(1_500_000);
        ring.record(EngineEvent.STATE_CHANGE, 0x11, 0, QueuePairState.RTR.ordinal() << 8 | QueuePairState.RTS.ordinal());
        ring.record(EngineEvent.NAK_RECEIVED, 0x11, 0xAB, Syndrome.PSN_SEQUENCE_ERROR);
        ring.record(EngineEvent.RETRANSMISSION, 0x11, 0xAB, 1);
        ring.record(EngineEvent.RNR_WAIT, 0x11, 0xAC, 640_000);
        ring.record(EngineEvent.DROP, 0x11, 0, DropReason.GHOST_RESPONSE.id());
        ring.record(EngineEvent.MANAGEMENT_SENT, 1, 7, 0x10);
        ring.record(EngineEvent.FAILURE, 0x11, 0, QueuePairState.RTS.ordinal());
        assertEquals(List.of(
            "1.500000 ms qp 0x11 psn 000000 state change RTR to RTS",
            "1.500000 ms qp 0x11 psn 0000ab NAK received: NAK PSN sequence error",
            "1.500000 ms qp 0x11 psn 0000ab retransmission of 1 packet",
            "1.500000 ms qp 0x11 psn 0000ac RNR wait of 0.640 ms",
            "1.500000 ms qp 0x11 psn 000000 drop: ghost_response",
            "1.500000 ms qp 0x1 psn 000007 CM message sent: attribute 0x10",
            "1.500000 ms qp 0x11 psn 000000 failure in RTS"), EventMessages.latest(ring, 20));
        assertEquals(2, EventMessages.latest(ring, 2).size());
        assertTrue(EventMessages.latest(ring, 1).get(0).endsWith("failure in RTS"));
    }

    @Test
    void everyEventHasText() {
        for (EngineEvent event : EngineEvent.values()) {
            assertTrue(EventMessages.line(event, 0, 1, 2, 1).contains(event.label()), event.name());
        }
    }
}
