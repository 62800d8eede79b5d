package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.QueuePairState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What the other end says when one end closes, exits or is killed")
@Timeout(240)
class ConnectionEndTest {
    private static final String SERVER = "127.0.0.2";
    private static final String CLIENT = "127.0.0.1";
    private static final String DREQ = CLIENT + " ended the connection with a DREQ";

    private final int udpPort = FreePorts.udp(SERVER, CLIENT);

    private CmSide open(String address) throws Exception {
        return new CmSide(CmSide.options(address, udpPort));
    }

    /** How the client ends. */
    enum End {
        DISCONNECT, CONNECTION_CLOSED, QUEUE_PAIR_CLOSED, NIC_CLOSED;

        void of(CmSide client, CmConnection connection) throws Exception {
            switch (this) {
                case DISCONNECT -> connection.disconnect();
                case CONNECTION_CLOSED -> connection.close();
                case QUEUE_PAIR_CLOSED -> client.queuePair.close();
                case NIC_CLOSED -> client.closeNic();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void theServerReceivesWhatWasPostedBefore(End end) throws Exception {
        try (CmSide server = open(SERVER); CmSide client = open(CLIENT)) {
            server.listen();
            CmConnection connection = client.begin(SERVER);
            server.accept();
            client.await(CmEvent.Type.ESTABLISHED);
            server.await(CmEvent.Type.ESTABLISHED);
            client.send();
            end.of(client, connection);
            server.await(CmEvent.Type.DISCONNECTED);
            assertTrue(server.completion().isSuccess());
        }
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void theServerReadsWhyAndItsQueuePairIsFlushed(End end) throws Exception {
        try (CmSide server = open(SERVER); CmSide client = open(CLIENT)) {
            server.listen();
            CmConnection connection = client.begin(SERVER);
            CmConnection accepted = server.accept();
            client.await(CmEvent.Type.ESTABLISHED);
            server.await(CmEvent.Type.ESTABLISHED);
            end.of(client, connection);
            CmEvent event = server.await(CmEvent.Type.DISCONNECTED);
            assertSame(accepted, event.connection());
            assertEquals(DREQ, event.explanation());
            assertEquals(QueuePairState.ERROR, server.queuePair.state());
            server.expectFlush();
            switch (end) {
                case DISCONNECT -> assertEquals("", client.await(CmEvent.Type.DISCONNECTED).explanation());
                case QUEUE_PAIR_CLOSED -> {
                    String why = client.await(CmEvent.Type.DISCONNECTED).explanation();
                    assertTrue(why.endsWith("ended: it was closed"), why);
                }
                case NIC_CLOSED -> {
                    assertEquals("the NIC at 127.0.0.1 was closed", client.await(CmEvent.Type.DISCONNECTED).explanation());
                    String why = assertThrows(IllegalStateException.class, () -> client.events.await(Long.MAX_VALUE)).getMessage();
                    assertEquals("the NIC at 127.0.0.1 is closed: open another", why);
                }
                case CONNECTION_CLOSED -> assertEquals(QueuePairState.ERROR, client.queuePair.state());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit", "end", "starve"})
    void aProcessThatExitsSendsADreq(String how) throws Exception {
        try (CmSide server = open(SERVER)) {
            server.listen();
            Process client = PeerProcess.start(CLIENT, udpPort, SERVER);
            try {
                server.accept();
                server.await(CmEvent.Type.ESTABLISHED);
                expectLine(client, "connected");
                client.getOutputStream().write((how + "\n").getBytes(StandardCharsets.UTF_8));
                client.getOutputStream().flush();
                assertEquals(DREQ, server.await(CmEvent.Type.DISCONNECTED).explanation());
                server.expectFlush();
                assertTrue(client.waitFor(60, TimeUnit.SECONDS), "the process ends");
                assertEquals("exit".equals(how) ? 3 : 0, client.exitValue());
            } finally {
                client.destroyForcibly();
            }
        }
    }

    @Test
    @DisplayName("a process that is killed says nothing: the next request fails, and the connection with it")
    void aProcessThatIsKilledIsNoticedByTheNextRequest() throws Exception {
        try (CmSide server = open(SERVER)) {
            server.listen();
            Process client = PeerProcess.start(CLIENT, udpPort, SERVER);
            try {
                server.accept();
                server.await(CmEvent.Type.ESTABLISHED);
                expectLine(client, "connected");
                // SIGKILL
                client.destroyForcibly();
                assertTrue(client.waitFor(60, TimeUnit.SECONDS), "the process ends");
                server.send();
                assertEquals(CompletionStatus.RETRY_EXC_ERR, server.completion().status());
                server.expectFlush();
                CmEvent event = server.await(CmEvent.Type.DISCONNECTED);
                assertTrue(event.explanation().contains("did not answer") && event.explanation().contains("127.0.0.1"),
                    event.explanation());
                assertEquals(QueuePairState.ERROR, server.queuePair.state());
            } finally {
                client.destroyForcibly();
            }
        }
    }

    @Test
    @DisplayName("T11 with a keep-alive, the end of a process that is killed is one event although nothing is sent")
    void aProcessThatIsKilledIsNoticedWithoutARequest() throws Exception {
        try (CmSide server = open(SERVER)) {
            server.listen();
            Process client = PeerProcess.start(CLIENT, udpPort, SERVER);
            try {
                server.accept(new ConnectParameters().keepAliveNs(TimeUnit.MILLISECONDS.toNanos(200)));
                server.await(CmEvent.Type.ESTABLISHED);
                expectLine(client, "connected");
                // SIGKILL
                client.destroyForcibly();
                CmEvent event = server.await(CmEvent.Type.DISCONNECTED);
                assertTrue(event.explanation().contains("127.0.0.1") && event.explanation().contains("did not answer 8 keep-alives"),
                    event.explanation());
                server.expectFlush();
                assertEquals(QueuePairState.ERROR, server.queuePair.state());
                assertNull(server.events.poll(), "one event for one end");
            } finally {
                client.destroyForcibly();
            }
        }
    }

    private static void expectLine(Process process, String expected) throws Exception {
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        assertEquals(expected, out.readLine());
    }

    @Test
    void noHookEndsConnectionsThatAreKeptAtExit() throws Exception {
        try (CmSide one = open(CLIENT); CmSide two = open(SERVER)) {
            one.nic.keepConnectionsAtExit();
            one.nic.connections();
            two.nic.connections();
            two.nic.keepConnectionsAtExit();
            assertFalse(ExitHook.isRegistered());
        }
    }

    @Test
    void theHookIsThereOnlyWhileANicHasConnections() throws Exception {
        assertFalse(ExitHook.isRegistered());
        try (CmSide one = open(CLIENT); CmSide two = open(SERVER)) {
            assertFalse(ExitHook.isRegistered());
            one.nic.connections();
            two.nic.connections();
            assertTrue(ExitHook.isRegistered());
            one.closeNic();
            assertTrue(ExitHook.isRegistered());
        }
        assertFalse(ExitHook.isRegistered());
    }

    @Test
    void aNicHasOneConnectionService() throws Exception {
        RxeNic nic = RxeNic.open(CmSide.options(CLIENT, udpPort));
        assertSame(nic.connections(), nic.connections());
        nic.close();
        assertThrows(IllegalStateException.class, () -> nic.connections().connector(new CmEventChannel()));
        RxeNic unused = RxeNic.open(CmSide.options(CLIENT, udpPort));
        unused.close();
        String why = assertThrows(IllegalStateException.class, unused::connections).getMessage();
        assertTrue(why.contains("closed"), why);
    }

    @Test
    void closingTheNicWakesWhoWaitsForEvents() throws Exception {
        try (CmSide side = open(CLIENT)) {
            side.listen();
            FutureTask<CmEvent> waiter = new FutureTask<>(() -> side.events.await(Long.MAX_VALUE));
            Thread thread = new Thread(waiter, "waiter");
            thread.setDaemon(true);
            thread.start();
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                assertFalse(waiter.isDone());
                Thread.onSpinWait();
            }
            side.closeNic();
            Throwable cause = assertThrows(ExecutionException.class, () -> waiter.get(60, TimeUnit.SECONDS)).getCause();
            assertEquals("the NIC at 127.0.0.1 is closed: open another", cause.getMessage());
        }
    }

    @Test
    @DisplayName("an address this host cannot send to fails the connect with the reason, long before any timeout")
    void aConnectThatCannotBeSentFails() throws Exception {
        try (CmSide side = open(CLIENT)) {
            // From a loopback address no other host can be reached: EINVAL.
            side.nic.connections().connector(side.events).connect(side.queuePair, side.nic.resolve("192.0.2.1"), 1,
                new ConnectParameters());
            CmEvent event = side.await(CmEvent.Type.UNREACHABLE);
            assertEquals(CmEvent.NOT_SENT, event.status());
            assertTrue(event.explanation().startsWith("the request for TCP port 1 at 192.0.2.1 could not be sent: "),
                event.explanation());
        }
    }

    @Test
    void hostNamesAreResolvedInTheFamilyOfTheNic() throws Exception {
        try (RxeNic nic = RxeNic.open(CmSide.options(CLIENT, udpPort))) {
            assertEquals("::ffff:127.0.0.1", nic.resolve("localhost").toString());
            String unknown = assertThrows(UnknownHostException.class, () -> nic.resolve("no such host")).getMessage();
            assertTrue(unknown.startsWith("'no such host' is neither a host name that can be resolved nor an IP address: "), unknown);
            String family = assertThrows(UnknownHostException.class, () -> nic.resolve("::1")).getMessage();
            assertTrue(family.contains("has no IPv4 address") && family.contains("127.0.0.1"), family);
            assertThrows(UnknownHostException.class, () -> nic.resolve(" "));
            assertThrows(NullPointerException.class, () -> nic.resolve(null));
        }
        assertThrows(IOException.class, () -> InterfaceInfo.of(" "));
    }
}
