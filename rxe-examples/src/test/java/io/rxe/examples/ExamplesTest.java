package io.rxe.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEventChannel;
import io.rxe.net.FreePorts;
import io.rxe.net.JavaProcess;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The programs of README.md and docs/api.md")
class ExamplesTest {
    private static final long SECONDS = 60;

    private final RxeNicOptions options =
        RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withSeed(1L);

    @Test
    void aClientConnectsAndItsMessageArrives() throws Exception {
        FutureTask<String> server = new FutureTask<>(() -> Hello.run(options.withAddress("127.0.0.2"), null));
        Thread thread = new Thread(server, "server");
        thread.start();
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (Stream.of(thread.getStackTrace()).noneMatch(frame -> frame.getClassName().equals(CmEventChannel.class.getName()))) {
            assertTrue(!server.isDone() && System.nanoTime() < endNs, "the server listens and waits for a request");
            Thread.yield();
        }
        assertEquals("hello, peer", Hello.run(options, "127.0.0.2"));
        assertEquals("hello, peer", server.get(SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void aMessageReachesTheMemberOfAGroup() throws Exception {
        Gid group = Gid.parse("239.77.0.5");
        CountDownLatch joined = new CountDownLatch(1);
        FutureTask<String> member = new FutureTask<>(
            () -> GroupMessage.receive(options.withAddress("127.0.0.2"), group, joined::countDown));
        Thread thread = new Thread(member, "member");
        thread.setDaemon(true);
        thread.start();
        assertTrue(joined.await(SECONDS, TimeUnit.SECONDS));
        GroupMessage.send(options, group, "hello, members");
        assertEquals("hello, members", member.get(SECONDS, TimeUnit.SECONDS));
    }

    @Test
    @DisplayName("a client that is started before its server waits for it, and names what is missing")
    void aClientWaitsForItsServer() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            port = free.getLocalPort();
        }
        String message = assertThrows(IOException.class, () -> PingPong.connect("127.0.0.1", port, 0)).getMessage();
        assertTrue(message.contains("127.0.0.1, TCP port " + port + ": start 'PingPong 127.0.0.1'"), message);
        FutureTask<Socket> client = new FutureTask<>(() -> PingPong.connect("127.0.0.1", port, TimeUnit.SECONDS.toNanos(SECONDS)));
        Thread thread = new Thread(client, "client");
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(thread.isAlive(), "the client tries again");
            Thread.yield();
        }
        try (ServerSocket server = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1")); Socket accepted = server.accept();
             Socket connected = client.get(SECONDS, TimeUnit.SECONDS)) {
            assertEquals(accepted.getPort(), connected.getLocalPort());
        }
    }

    @Test
    void messagesGoBackAndForth() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            FutureTask<Long> other = new FutureTask<>(() -> {
                try (RxeNic nic = RxeNic.open(options.withAddress("127.0.0.2")); Socket control = server.accept()) {
                    return PingPong.play(nic, control, false, 500);
                }
            });
            new Thread(other, "the other side").start();
            try (RxeNic nic = RxeNic.open(options); Socket control = new Socket("127.0.0.1", server.getLocalPort())) {
                assertTrue(PingPong.play(nic, control, true, 500) > 0);
            }
            assertTrue(other.get(SECONDS, TimeUnit.SECONDS) > 0);
        }
    }

    @Test
    @Timeout(value = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("a server with an address of another host says so, instead of waiting for its client")
    void aServerNeedsAnAddressOfItsHost() {
        String message = assertThrows(IOException.class, () -> PingPong.main(new String[] {"203.0.113.1"})).getMessage();
        assertTrue(message.contains("203.0.113.1"), message);
    }

    @Test
    void oneThreadDrivesTwoNics() throws Exception {
        assertEquals(500 * 501 / 2, OneThread.play(options, options.withAddress("127.0.0.2"), 500));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Echo", "Hello", "KeyValueStore", "OneThread", "PingPong", "SendFile"})
    void withoutArgumentsAProgramSaysWhichItTakes(String program) throws Exception {
        // An exception would end it with status 1.
        assertEquals(2, JavaProcess.start(Class.forName("io.rxe.examples." + program)).waitFor());
    }

    @Test
    void theGuideQuotesThePrograms() throws IOException {
        assertEquals(6, quotedParts(Path.of("..", "docs", "api.md"), "// api.md: ", "PingPong", "GroupMessage"));
    }

    @Test
    void theReadmeQuotesTheSmallestProgram() throws IOException {
        assertEquals(2, quotedParts(Path.of("..", "README.md"), "// README.md: ", "Echo"));
    }

    /** Number of marked parts in the sources of some programs, each of which a document must contain as a block of code. */
    private static int quotedParts(Path document, String mark, String... programs) throws IOException {
        String text = Files.readString(document);
        Path sources = Path.of("src", "main", "java", "io", "rxe", "examples");
        int quoted = 0;
        for (String file : programs) {
            List<String> part = null;
            for (String line : Files.readAllLines(sources.resolve(file + ".java"))) {
                String trimmed = line.strip();
                if (trimmed.startsWith(mark) && trimmed.endsWith(" begins")) {
                    part = new ArrayList<>();
                } else if (trimmed.startsWith(mark) && trimmed.endsWith(" ends")) {
                    String block = String.join("\n", part).stripIndent();
                    assertTrue(text.contains("```java\n" + block + "\n```"), document + " lacks " + file + ", " + trimmed + ":\n" + block);
                    quoted++;
                    part = null;
                } else if (part != null) {
                    part.add(line);
                }
            }
            assertNull(part, file + " has a part that does not end");
        }
        return quoted;
    }
}
