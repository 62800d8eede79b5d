package io.rxe.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.connect.ConnectOptions;
import io.rxe.connect.RxeClient;
import io.rxe.connect.RxeServer;
import io.rxe.junit.FreePort;
import io.rxe.junit.RxeNics;
import io.rxe.net.RxeNic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The programs over io.rxe.connect, with planted losses")
@RxeNics(value = 2, fault = "loss 1%")
@Timeout(240)
class ConnectExamplesTest {
    private static final int MAX_LINES = 120;

    private static String host(RxeNic nic) {
        return nic.localInterface().address().getHostAddress();
    }

    @Test
    void aMessageComesBack(RxeNic here, RxeNic there, @FreePort int port) throws Exception {
        try (RxeServer server = Echo.serve(here, port)) {
            assertEquals("there and back", Echo.call(there, host(here), port, "there and back"));
            assertEquals(port, server.port());
        }
    }

    @Test
    void whatIsPutIsRead(RxeNic here, RxeNic there, @FreePort int port) throws Exception {
        Map<Integer, String> expected = new TreeMap<>();
        Map<Integer, String> found = new TreeMap<>();
        try (KeyValueStore store = new KeyValueStore(here, port); RxeClient client = new RxeClient(there)) {
            KeyValueStore.Client writer = new KeyValueStore.Client(client, host(here), port);
            KeyValueStore.Client reader = new KeyValueStore.Client(client, host(here), port);
            for (int key = 0; key < 300; key++) {
                expected.put(key, "value " + key + " " + "x".repeat(key % 200));
                writer.put(key, expected.get(key)).get(60, TimeUnit.SECONDS);
                writer.put(key, expected.get(key)).get(60, TimeUnit.SECONDS);
            }
            for (int key : expected.keySet()) {
                found.put(key, reader.get(key).get(60, TimeUnit.SECONDS));
            }
            assertEquals("", reader.get(1000).get(60, TimeUnit.SECONDS));
            assertDoesNotThrow(store::close);
            assertThrows(ExecutionException.class, () -> reader.get(1).get(60, TimeUnit.SECONDS));
        }
        assertEquals(expected, found);
    }

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = {0, 1, 3_000_001})
    void aFileArrivesAsItWas(int length, RxeNic here, RxeNic there, @FreePort int port, @TempDir Path folder) throws Exception {
        byte[] data = new byte[length];
        new Random(length).nextBytes(data);
        Path from = Files.write(folder.resolve("from"), data);
        Path to = folder.resolve("to");
        CompletableFuture<RxeServer> server = new CompletableFuture<>();
        CompletableFuture<Long> received = SendFile.receive(here, port, to, server);
        try (RxeServer listening = server.join()) {
            assertEquals(length, SendFile.send(there, host(here), port, from));
            assertEquals(length, received.get(60, TimeUnit.SECONDS));
            assertTrue(listening.toString().startsWith("server on listener on"));
        }
        assertArrayEquals(data, Files.readAllBytes(to));
    }

    @Test
    @DisplayName("a sender that gives up leaves an incomplete file, and the receiver learns of it")
    void anIncompleteFile(RxeNic here, RxeNic there, @FreePort int port, @TempDir Path folder) throws Exception {
        CompletableFuture<RxeServer> server = new CompletableFuture<>();
        CompletableFuture<Long> received = SendFile.receive(here, port, folder.resolve("to"), server);
        try (RxeServer listening = server.join(); RxeClient client = new RxeClient(there)) {
            client.connect(host(here), port, ConnectOptions.defaults().withPrivateData(new byte[] {0, 0, 0, 0, 0, 0, 1, 0}),
                set -> { }).connected().get(60, TimeUnit.SECONDS).close();
            Throwable why = assertThrows(ExecutionException.class, () -> received.get(60, TimeUnit.SECONDS)).getCause();
            assertTrue(why.getMessage().startsWith("the file is incomplete: CLOSED_BY_PEER"), why.getMessage());
            assertEquals(port, listening.port());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"KeyValueStore", "SendFile"})
    void theProgramsAreShort(String program) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("src", "main", "java", "io", "rxe", "examples",
            program + ".java"));
        assertTrue(lines.size() < MAX_LINES, () -> program + " has " + lines.size() + " lines");
    }
}
