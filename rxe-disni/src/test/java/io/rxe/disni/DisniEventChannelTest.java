package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.rxe.cm.CmEventChannel;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("an event channel of DiSNI")
class DisniEventChannelTest {
    @Test
    @Timeout(60)
    @DisplayName("the thread that takes the first of two made-up events wakes another for the second")
    void eachEventWakesAThread() throws Exception {
        DisniEventChannel channel = new DisniEventChannel();
        try (CmEventChannel events = channel.events()) {
            DisniId id = new DisniId(channel);
            channel.raise(DisniEvent.of(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, 0, id));
            channel.raise(DisniEvent.of(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, 0, id));
            assertNull(events.await(Long.MAX_VALUE), "one of the threads wakes");
            assertEquals(EventType.RDMA_CM_EVENT_ADDR_RESOLVED.ordinal(), channel.next(0).getEvent());
            assertNull(events.await(Long.MAX_VALUE), "the other wakes");
            assertEquals(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED.ordinal(), channel.next(0).getEvent());
        }
    }
}
