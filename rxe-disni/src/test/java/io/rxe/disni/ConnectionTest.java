package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import io.rxe.net.process.ProcessSettings;
import io.rxe.port.EcnOptions;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.DcqcnParameter;
import io.rxe.verbs.PartitionKeys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ConnectionTest {
    @Test
    @DisplayName("private data of the request arrives, and both sides know their addresses")
    void request() throws IOException {
        ByteBuffer data = ByteBuffer.allocateDirect(4).putInt(0, 0x0A0B0C0D);
        RdmaConnParam parameters = new RdmaConnParam();
        parameters.setPrivate_data(MemoryUtils.getAddress(data));
        parameters.setPrivate_data_len((byte) 4);
        try (Loop loop = new Loop(parameters)) {
            byte[] received = NativeMemory.copy(loop.request.getConn().getPrivate_data(), loop.request.getConn().getPrivate_data_len());
            assertEquals(0x0A0B0C0D, ByteBuffer.wrap(received).getInt(), () -> Arrays.toString(received));
            assertEquals(loop.listener, loop.request.getListenIdPriv());
            assertEquals(loop.client.getDestination(), loop.listener.getSource());
            assertEquals(loop.client.getSource(), loop.server.getDestination());
            assertEquals(loop.client.getVerbs(), loop.server.getVerbs());
            assertNull(loop.events.getCmEvent(1));
        }
    }

    @Test
    @DisplayName("disconnect ends both sides with an event each")
    void disconnect() throws IOException {
        try (Loop loop = new Loop()) {
            assertEquals(0, loop.client.disconnect());
            loop.await(EventType.RDMA_CM_EVENT_DISCONNECTED);
            loop.await(EventType.RDMA_CM_EVENT_DISCONNECTED);
            loop.client.destroyQP();
            assertEquals("Trying to destroy an already destroyed QP.",
                assertThrows(IOException.class, loop.client::destroyQP).getMessage());
        }
    }

    @Test
    @DisplayName("an id has one queue pair: a second one is refused, and takes the place of none")
    void oneQueuePair() throws IOException {
        try (Loop loop = new Loop()) {
            IbvQP first = loop.client.getQp();
            IOException second = assertThrows(IOException.class, () -> loop.createQueuePair(loop.client));
            assertTrue(second.getMessage().startsWith("j2c::createQP: rdma_create_qp failed: Invalid argument"), second::getMessage);
            assertEquals(first, loop.client.getQp());
            loop.client.destroyQP();
            loop.createQueuePair(loop.client);
        }
    }

    @Test
    @DisplayName("a port without listener rejects, in words too; a port that is taken and a foreign address are errors as of libdisni")
    void errors() throws IOException {
        try (Loop loop = new Loop()) {
            RdmaCmId other = loop.events.createId(RdmaCm.RDMA_PS_TCP);
            assertNull(other.getVerbs());
            IOException taken = assertThrows(IOException.class, () -> other.bindAddr(loop.listener.getSource()));
            assertTrue(taken.getMessage().startsWith("j2c::bind: rdma_bind_addr failed: Address already in use"), taken::getMessage);
            IOException foreign = assertThrows(IOException.class, () -> other.bindAddr(new InetSocketAddress("127.0.72.2", 9)));
            assertTrue(foreign.getMessage().startsWith("j2c::bind: rdma_bind_addr failed: Cannot assign requested address"),
                foreign::getMessage);
            IOException early = assertThrows(IOException.class, () -> other.connect(new RdmaConnParam()));
            assertTrue(early.getMessage().startsWith("j2c::connect: rdma_connect failed: Invalid argument"), early::getMessage);
            assertEquals(-1, other.disconnect());
            other.resolveAddr(null, new InetSocketAddress(Loop.ADDRESS, 9), 2000);
            loop.await(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
            loop.createQueuePair(other);
            other.connect(new RdmaConnParam());
            String said = errorOutput(() -> loop.await(EventType.RDMA_CM_EVENT_REJECTED));
            assertTrue(said.contains("rxe: REJECTED: "), said);
            other.destroyEp();
            assertEquals("Trying to listen on closed ID", assertThrows(IOException.class, () -> other.listen(1)).getMessage());
        }
    }

    /** What a step prints to standard error. */
    private static String errorOutput(Executable step) {
        PrintStream before = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true));
        try {
            assertDoesNotThrow(step);
        } finally {
            System.setErr(before);
        }
        return bytes.toString();
    }

    @Test
    @DisplayName("getCmEvent without a wait returns the event that waits behind one of an id that is destroyed")
    void anEventBehindOneOfNobody() throws IOException {
        DisniEventChannel channel = new DisniEventChannel();
        DisniId gone = new DisniId(channel);
        DisniId there = new DisniId(channel);
        channel.raise(DisniEvent.of(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, 0, gone));
        channel.raise(DisniEvent.of(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, 0, there));
        gone.destroy();
        assertEquals(there, channel.next(0).getConnIdPriv());
        assertNull(channel.next(0));
        channel.destroy();
    }

    @Test
    @DisplayName("settings name the variable and the property of a value that cannot be read")
    void settings() {
        ProcessSettings settings = new ProcessSettings(name -> name.equals("rxe.engines") ? "two" : null, name -> null);
        assertEquals(4792, new ProcessSettings(name -> null, name -> name.equals("RXE_UDP_PORT") ? "4792" : null).udpPort());
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> settings.options("127.0.0.1"));
        assertEquals("RXE_ENGINES or rxe.engines is 'two': this is not a number", refused.getMessage());
        ProcessSettings partitions = new ProcessSettings(name -> name.equals("rxe.pkeys") ? "0x8001,0xffff" : null,
            name -> name.equals("RXE_PKEYS") ? "0x8002" : null);
        assertEquals(PartitionKeys.of(0x8001, 0xFFFF), partitions.options("127.0.0.1").partitionKeys());
        assertEquals(EcnOptions.OFF, partitions.options("127.0.0.1").ecn());
        ProcessSettings marks = new ProcessSettings(name -> name.equals("rxe.ecn") ? "all" : null,
            name -> name.equals("RXE_ECN") ? "maybe" : null);
        assertEquals(EcnOptions.ALL, marks.options("127.0.0.1").ecn());
        ProcessSettings undecided = new ProcessSettings(name -> null, name -> name.equals("RXE_ECN") ? "maybe" : null);
        assertEquals("RXE_ECN or rxe.ecn is 'maybe': 'maybe' is no ECN mode: use off, on, which notifies peers that are rxe, or all, where"
            + " every peer is an adapter", assertThrows(IllegalArgumentException.class, () -> undecided.options("127.0.0.1")).getMessage());
        ProcessSettings paced = new ProcessSettings(name -> name.equals("rxe.cc") ? "dcqcn,rpg_ai_rate=20mbit" : null,
            name -> name.equals("RXE_CC") ? "none" : null);
        assertEquals(CongestionOptions.DCQCN.with(DcqcnParameter.RPG_AI_RATE, 20_000_000), paced.options("127.0.0.1").congestion());
        assertEquals(CongestionOptions.DELAY, partitions.options("127.0.0.1").congestion());
        ProcessSettings standing = new ProcessSettings(name -> null, name -> name.equals("RXE_CC") ? "dcqcn,rpg_min_rate=0" : null);
        assertEquals("RXE_CC or rxe.cc is 'dcqcn,rpg_min_rate=0': rpg_min_rate=0mbit is not in 1kbit..10000000mbit: adapters use 1mbit,"
            + " leave it out for that", assertThrows(IllegalArgumentException.class, () -> standing.options("127.0.0.1")).getMessage());
        ProcessSettings eager = new ProcessSettings(name -> null, name -> name.equals("RXE_KEEP_ALIVE_MS") ? "-1" : null);
        IllegalArgumentException range = assertThrows(IllegalArgumentException.class, () -> eager.options("127.0.0.1"));
        assertTrue(range.getMessage().startsWith("RXE_KEEP_ALIVE_MS or rxe.keep.alive.ms is '-1': keepAliveNs -1000000 is not in"),
            range::getMessage);
    }
}
