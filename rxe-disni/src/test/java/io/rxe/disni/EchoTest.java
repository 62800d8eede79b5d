package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EchoTest {
    private static final String SERVER = "127.0.71.5";
    private static final String CLIENT = "127.0.71.6";
    /** Java compiles it, as the class path of a program is without the test's own classes. */
    private static final String MAIN = Path.of("src/test/java/io/rxe/disni/example/Echo.java").toAbsolutePath().toString();

    @Test
    @DisplayName("the program whose lines docs/api.md counts brings a message there and back, for one client after another")
    void messageReturns() throws Exception {
        int udpPort = FreePorts.udp(SERVER, CLIENT);
        String port = Integer.toString(FreePorts.tcp());
        try (DisniProgram server = new DisniProgram(SERVER, udpPort, "", MAIN, SERVER, port)) {
            server.awaitListener();
            for (String text : List.of("hello", "again")) {
                try (DisniProgram client = new DisniProgram(CLIENT, udpPort, "", MAIN, SERVER, port, text)) {
                    assertEquals(0, client.exit(2), client::output);
                    assertTrue(client.output().lines().anyMatch(text::equals), client::output);
                }
            }
        }
    }
}
