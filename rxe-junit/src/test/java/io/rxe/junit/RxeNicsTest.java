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

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void parameterizedTestsHaveTheirOwn(int number, RxeNic nic) {
        assertFalse(nic.isClosed());
        assertTrue(number > 0);
    }
}
