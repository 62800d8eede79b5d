package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaConnParam;
import io.rxe.net.FreePorts;
import io.rxe.net.RxeNic;
import io.rxe.net.process.ProcessSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerbsFaultTest {
    private static final String ADDRESS = "127.0.72.9";
    private static final int EVENT_TIMEOUT_MS = 60_000;

    @TempDir
    private Path folder;

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

    /** Connects once, as far as that goes; returns the last event of the client. */
    private static RdmaCmEvent connect(LocalNic nic, DisniEventChannel channel, InetSocketAddress address) throws Exception {
        DisniId client = new DisniId(channel);
        client.resolveAddress(nic, address);
        RdmaCmEvent event = channel.next(EVENT_TIMEOUT_MS);
        if (event.getEvent() == EventType.RDMA_CM_EVENT_ADDR_RESOLVED.ordinal()) {
            client.resolveRoute();
            event = channel.next(EVENT_TIMEOUT_MS);
        }
        if (event.getEvent() == EventType.RDMA_CM_EVENT_ROUTE_RESOLVED.ordinal()) {
            DisniVerbs verbs = new DisniVerbs();
            DisniDomain domain = (DisniDomain) verbs.allocPd(client.getVerbs());
            IbvQPInitAttr attr = new IbvQPInitAttr();
            attr.setQp_type(IbvQP.IBV_QPT_RC);
            attr.setSend_cq(verbs.createCQ(client.getVerbs(), null, 8, 0));
            attr.setRecv_cq(attr.getSend_cq());
            client.createQueuePair(domain, attr);
            client.requestConnection(new RdmaConnParam());
            event = channel.next(EVENT_TIMEOUT_MS);
            while (event.getConnIdPriv() != client) {
                if (event.getEvent() == EventType.RDMA_CM_EVENT_CONNECT_REQUEST.ordinal()) {
                    DisniId server = (DisniId) event.getConnIdPriv();
                    server.createQueuePair(domain, attr);
                    server.acceptRequest(new RdmaConnParam());
                }
                event = channel.next(EVENT_TIMEOUT_MS);
            }
        }
        return event;
    }

    @Test
    @DisplayName("an id gets each event of a connection that fails, with its status")
    void everyEventOfAFailedConnection() throws Exception {
        Map<String, String> properties = Map.of("rxe.dev", ADDRESS, "rxe.udp.port", Integer.toString(FreePorts.udp(ADDRESS)),
            "rxe.verbs.fault", "rdma_resolve_addr: event=ADDR_ERROR nth 1; rdma_resolve_route: event=ROUTE_ERROR nth 1;"
            + " rdma_connect: event=UNREACHABLE nth 1; rdma_connect: event=REJECTED reason 10 nth 1; cm: REJECT reason 3 nth 1;"
            + " rdma_connect: event=CONNECT_ERROR nth 2");
        RxeNic[] opened = new RxeNic[1];
        LocalNic nic = new LocalNic(new ProcessSettings(properties::get, name -> null), options -> opened[0] = RxeNic.open(options));
        DisniEventChannel channel = new DisniEventChannel();
        InetSocketAddress address = new InetSocketAddress(ADDRESS, 7176);
        List<String> seen = new ArrayList<>();
        try {
            DisniId listener = new DisniId(channel);
            listener.bind(nic, address);
            listener.listen(nic, 8);
            for (int i = 0; i < 6; i++) {
                seen.add(connect(nic, channel, address).toString().replaceFirst("RDMA_CM_EVENT_(.*), \\d+ bytes.*", "$1"));
            }
        } finally {
            opened[0].close();
            channel.destroy();
        }
        assertEquals(List.of("ADDR_ERROR, status -19", "ROUTE_ERROR, status -110", "UNREACHABLE, status -110", "REJECTED, status 10",
            "REJECTED, status 3", "CONNECT_ERROR, status -22"), seen);
    }

    @ParameterizedTest
    @ValueSource(strings = {"expect established within 1ms", "expect established within 900s"})
    @DisplayName("an expectation that is missed in time, or when the program ends, is the exit status of the program")
    void aScriptIsTheExitStatus(String line) throws Exception {
        Path script = Files.writeString(folder.resolve("script"), line + "\n");
        try (DisniProgram server = new DisniProgram(ADDRESS, FreePorts.udp(ADDRESS), "", "-Drxe.verbs.script=" + script,
                "com.ibm.disni.benchmarks.ReadServer", "-a", ADDRESS, "-p", Integer.toString(FreePorts.tcp()))) {
            if (line.endsWith("900s")) {
                server.awaitListener();
                server.terminate();
            }
            assertEquals(ProcessSettings.SCRIPT_FAILED, server.exit(5), server::output);
            assertTrue(server.output().contains("rxe: line 1 of the script: ESTABLISHED did not follow within"), server::output);
        }
    }
}
