package io.rxe.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.connect.PostStatus;
import io.rxe.connect.RxeClient;
import io.rxe.connect.RxeConnection;
import io.rxe.connect.RxeServer;
import io.rxe.net.RxeNic;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@RxeNics(2)
@DisplayName("@RxeNics gives a test its NICs")
class RxeNicsTest {
    private static RxeNic last;
    private RxeNic early;

    @BeforeEach
    void takeOne(RxeNic nic) {
        early = nic;
    }

    @AfterAll
    static void theNicsAreClosed() {
        assertTrue(last.isClosed());
    }

    @Test
    void theyHaveAddressesOfTheirOwnAndOnePort(RxeNic first, RxeNic second, RxeNic[] all, @FreePort int port, @FreePort int other) {
        last = first;
        assertSame(first, early);
        assertSame(first, all[0]);
        assertSame(second, all[1]);
        assertEquals(2, all.length);
        assertTrue(first.localInterface().address().isLoopbackAddress());
        assertNotEquals(first.localInterface().address(), second.localInterface().address());
        assertEquals(first.device().udpPort(), second.device().udpPort());
        assertNotEquals(port, other);
    }

    @Test
    @RxeNics(value = 3, fault = "loss 10%", engines = 2)
    @DisplayName("the annotation of the method counts; losses are planted, and repaired")
    void faultsArePlanted(RxeNic server, RxeNic other, RxeNic client, @FreePort int port) throws Exception {
        assertEquals(2, client.engines());
        CountDownLatch arrived = new CountDownLatch(200);
        try (RxeServer listening = RxeServer.listen(server, port, set -> set.onMessage((from, message) -> arrived.countDown()));
             RxeClient calling = new RxeClient(client)) {
            RxeConnection connection = calling.connect(server.localInterface().address().getHostAddress(), port, set -> { });
            connection.connected().get(60, TimeUnit.SECONDS);
            for (int sent = 0; sent < 200; ) {
                sent += connection.send(ByteBuffer.allocate(8)) == PostStatus.POSTED ? 1 : 0;
                Thread.yield();
            }
            assertTrue(arrived.await(60, TimeUnit.SECONDS));
            assertEquals(1, listening.connections().size());
        }
        assertTrue(client.countersByName().get("fault_lost") > 0, () -> client.countersByName().toString());
        assertEquals(0, other.countersByName().get("fault_lost"));
    }

    @Test
    @RxeNics(value = 2, verbsFault = "poll_cq: status=RETRY_EXC_ERR nth 3")
    @DisplayName("a request of the last NIC fails, its connection ends, and the next connection is good")
    void requestsFail(RxeNic server, RxeNic client, @FreePort int port) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch arrived = new CountDownLatch(100);
        try (RxeServer listening = RxeServer.listen(server, port, set -> set.onMessage((from, message) -> arrived.countDown()));
             RxeClient calling = new RxeClient(client)) {
            String host = server.localInterface().address().getHostAddress();
            RxeConnection first = calling.connect(host, port, set -> set.onClosed(end -> ended.countDown()));
            first.connected().get(60, TimeUnit.SECONDS);
            while (ended.getCount() > 0) {
                first.send(ByteBuffer.allocate(8));
                Thread.yield();
            }
            assertEquals(Map.of("poll_cq: status=RETRY_EXC_ERR nth 3", 1L), client.verbsFaults());
            assertEquals(Map.of(), server.verbsFaults());
            RxeConnection second = calling.connect(host, port, set -> { });
            second.connected().get(60, TimeUnit.SECONDS);
            while (arrived.getCount() > 0) {
                second.send(ByteBuffer.allocate(8));
                Thread.yield();
            }
            assertEquals(port, listening.port());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void parameterizedTestsHaveTheirOwn(int number, RxeNic nic) {
        assertFalse(nic.isClosed());
        assertTrue(number > 0);
    }
}
