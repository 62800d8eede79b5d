package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.EngineEvent;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import io.rxe.wire.Syndrome;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatestEventsTest {
    @Test
    void everyEventPrintsItsValueWithItsMeaning() {
        LatestEvents events = new LatestEvents();
        events.onEvent(EngineEvent.STATE_CHANGE, 1_500_000, 0x11, 0, QueuePairState.RTR.ordinal() << 8 | QueuePairState.RTS.ordinal());
        events.onEvent(EngineEvent.NAK_RECEIVED, 1_500_000, 0x11, 0xAB, Syndrome.PSN_SEQUENCE_ERROR);
        events.onEvent(EngineEvent.RETRANSMISSION, 1_500_000, 0x11, 0xAB, 1);
        events.onEvent(EngineEvent.RNR_WAIT, 1_500_000, 0x11, 0xAC, 640_000);
        events.onEvent(EngineEvent.DROP, 1_500_000, 0x11, 0, DropReason.GHOST_RESPONSE.id());
        events.onEvent(EngineEvent.MANAGEMENT_SENT, 1_500_000, 1, 7, 0x10);
        events.onEvent(EngineEvent.FAILURE, 1_500_000, 0x11, 0, QueuePairState.RTS.ordinal());
        assertEquals(List.of(
            "1.500000 ms qp 0x11 psn 000000 state change RTR to RTS",
            "1.500000 ms qp 0x11 psn 0000ab NAK received: NAK PSN sequence error",
            "1.500000 ms qp 0x11 psn 0000ab retransmission of 1 packet",
            "1.500000 ms qp 0x11 psn 0000ac RNR wait of 0.640 ms",
            "1.500000 ms qp 0x11 psn 000000 drop: ghost_response",
            "1.500000 ms qp 0x1 psn 000007 CM message sent: attribute 0x10",
            "1.500000 ms qp 0x11 psn 000000 failure in RTS"), events.lines());
    }

    @Test
    void everyEventHasText() {
        for (EngineEvent event : EngineEvent.values()) {
            LatestEvents events = new LatestEvents();
            events.onEvent(event, 0, 1, 2, 1);
            assertTrue(events.lines().get(0).contains(event.label()), event.name());
        }
    }
}
