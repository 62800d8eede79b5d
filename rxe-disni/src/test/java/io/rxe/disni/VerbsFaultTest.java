package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.rxe.net.FreePorts;
import io.rxe.net.RxeNic;
import io.rxe.net.process.ProcessSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class VerbsFaultTest {
    private static final String ADDRESS = "127.0.72.9";
    private static final int EVENT_TIMEOUT_MS = 60_000;

    private static void await(DisniEventChannel channel, EventType type, int status) throws IOException {
        RdmaCmEvent event = channel.next(EVENT_TIMEOUT_MS);
        assertEquals(type.ordinal(), event.getEvent());
        assertTrue(event.toString().contains("status " + status), event::toString);
    }

    @Test
    @DisplayName("the property rxe.verbs.fault has calls fail with libdisni's words, and ids get the events of failures")
    void propertyMakesFaults() throws Exception {
        Map<String, String> properties = Map.of("rxe.dev", ADDRESS, "rxe.udp.port", Integer.toString(FreePorts.udp(ADDRESS)),
            "rxe.verbs.fault", "rdma_bind_addr: EADDRINUSE nth 1; rdma_resolve_route: event=ROUTE_ERROR nth 1; reg_mr: EAGAIN nth 1;"
            + " dereg_mr: EBUSY nth 1; dealloc_pd: EBUSY; rdma_destroy_id: EINVAL nth 1; cm: DEVICE_REMOVAL after 1s");
        RxeNic[] opened = new RxeNic[1];
        LocalNic nic = new LocalNic(new ProcessSettings(properties::get, name -> null), options -> opened[0] = RxeNic.open(options));
        DisniEventChannel channel = new DisniEventChannel();
        DisniId id = new DisniId(channel);
        InetSocketAddress address = new InetSocketAddress(ADDRESS, 7174);
        try {
            String refused = assertThrows(IOException.class, () -> Failure.step("bind", () -> id.bind(nic, address))).getMessage();
            assertTrue(refused.startsWith("bind: Address already in use (rdma_bind_addr fails with EADDRINUSE"), refused);
            id.bind(nic, address);
            id.resolveAddress(nic, address);
            await(channel, EventType.RDMA_CM_EVENT_ADDR_RESOLVED, 0);
            id.resolveRoute();
            await(channel, EventType.RDMA_CM_EVENT_ROUTE_ERROR, -110);
            id.resolveRoute();
            await(channel, EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
            IbvPd domain = id.getVerbs().allocPd();
            ByteBuffer buffer = ByteBuffer.allocateDirect(64);
            String register = assertThrows(IOException.class,
                () -> domain.regMr(buffer, IbvMr.IBV_ACCESS_LOCAL_WRITE).execute().getMr()).getMessage();
            assertTrue(register.contains("Resource temporarily unavailable"), register);
            IbvMr region = domain.regMr(buffer, IbvMr.IBV_ACCESS_LOCAL_WRITE).execute().getMr();
            String deregister = assertThrows(IOException.class, () -> region.deregMr().execute()).getMessage();
            assertTrue(deregister.contains("Device or resource busy (dereg_mr fails with EBUSY"), deregister);
            region.deregMr().execute();
            assertEquals(16, domain.deallocPd());
            await(channel, EventType.RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
            assertThrows(IllegalArgumentException.class, id::destroy);
            id.destroy();
        } finally {
            opened[0].close();
            channel.destroy();
        }
    }
}
