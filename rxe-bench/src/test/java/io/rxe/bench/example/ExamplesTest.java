package io.rxe.bench.example;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.RxeNicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The programs of docs/api.md")
class ExamplesTest {
    private static final long SECONDS = 60;

    private final RxeNicOptions options =
        RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withSeed(1L);

    /** What one side of a program does with its TCP connection. */
    private interface Side<T> {
        T run(RxeNicOptions nic, Socket trade) throws Exception;
    }

    /** Runs the two sides against each other; answers what the second found. */
    private <A, B> B both(Side<A> waiting, Side<B> calling) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Callable<A> body = () -> {
                try (Socket trade = server.accept()) {
                    return waiting.run(options.withAddress("127.0.0.2"), trade);
                }
            };
            FutureTask<A> other = new FutureTask<>(body);
            Thread thread = new Thread(other, "the other side");
            thread.start();
            try (Socket trade = new Socket("127.0.0.1", server.getLocalPort())) {
                return calling.run(options, trade);
            } finally {
                other.get(SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void messagesGoBackAndForth() throws Exception {
        long roundNs = both((nic, trade) -> PingPong.play(nic, trade, false, 500),
            (nic, trade) -> PingPong.play(nic, trade, true, 500));
        assertTrue(roundNs > 0);
    }

    @Test
    void keysAreLookedUpInTheMemoryOfThePeerWhileItWrites() throws Exception {
        Map<Long, String> table = new HashMap<>();
        for (long key = 0; key < 600; key++) {
            table.put(key * 7919, "value " + key + " " + "x".repeat((int) key % 30));
        }
        Map<Long, String> found = both((nic, trade) -> {
            KeyValueReads.own(nic, trade, table, 200);
            return null;
        }, (nic, trade) -> {
            Map<Long, String> read = new HashMap<>();
            try (KeyValueReads.Reader reader = new KeyValueReads.Reader(nic, trade)) {
                for (long key : table.keySet()) {
                    read.put(key, reader.get(key));
                }
                assertNull(reader.get(-5));
            }
            return read;
        });
        assertEquals(table, found);
    }

    @Test
    void aValueThatIsTooLongIsRefused() {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> KeyValueReads.put(ByteBuffer.allocate(1 << 16), 1, "x".repeat(49)));
        assertTrue(refused.getMessage().contains("value of 49 bytes > 48"), refused.getMessage());
    }

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = {0, 1, 65_536, 3_000_001})
    void aFileArrivesAsItWas(int length, @TempDir Path folder) throws Exception {
        byte[] data = new byte[length];
        new Random(length).nextBytes(data);
        Path from = Files.write(folder.resolve("from"), data);
        Path to = folder.resolve("to");
        long sent = both((nic, trade) -> FileTransfer.receive(nic, trade, to), (nic, trade) -> FileTransfer.send(nic, trade, from));
        assertEquals(length, sent);
        assertArrayEquals(data, Files.readAllBytes(to));
    }

    @Test
    void theGuideQuotesThePrograms() throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "api.md"));
        Path sources = Path.of("src", "main", "java", "io", "rxe", "bench", "example");
        List<String> quoted = new ArrayList<>();
        for (String file : List.of("Connected", "PingPong", "KeyValueReads", "FileTransfer")) {
            List<String> part = null;
            for (String line : Files.readAllLines(sources.resolve(file + ".java"))) {
                String trimmed = line.strip();
                if (trimmed.startsWith("// api.md: ") && trimmed.endsWith(" begins")) {
                    part = new ArrayList<>();
                } else if (trimmed.startsWith("// api.md: ") && trimmed.endsWith(" ends")) {
                    String block = String.join("\n", part).stripIndent();
                    assertTrue(guide.contains("```java\n" + block + "\n```"), file + ", " + trimmed + ":\n" + block);
                    quoted.add(trimmed);
                    part = null;
                } else if (part != null) {
                    part.add(line);
                }
            }
            assertNull(part, file + " has a part that does not end");
        }
        assertEquals(8, quoted.size(), quoted.toString());
    }
}
