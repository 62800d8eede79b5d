package io.rxe.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The programs start with their defaults, print lines, and end with their input")
@Timeout(120)
class TestKitTest {
    private final String udpPort = "" + FreePorts.udp("127.0.0.1", "127.0.0.2");

    /** Writes to a program, expects its first line to begin so, and that it ends well. Returns the line. */
    private static String firstLine(String input, String begin, String... arguments) throws IOException, InterruptedException {
        Process process = JavaProcess.start(TestKit.class, arguments);
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
            String line = output.readLine();
            assertTrue(line != null && line.startsWith(begin), line);
            process.getOutputStream().close();
            while (output.readLine() != null) {
                continue;
            }
            assertEquals(0, process.waitFor());
            return line;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void flood() throws Exception {
        firstLine("", "listening", "flood", "-d", "127.0.0.1", "--udp-port", udpPort);
    }

    @Test
    void endurance() throws Exception {
        String line = firstLine("one 8\n", "one connected=", "endurance", "127.0.0.1", "127.0.0.2", "--connections", "4", "--places", "20",
            "--fault", "loss 1%", "--udp-port", udpPort);
        assertTrue(line.contains(" hostile=8 "), line);
    }
}
