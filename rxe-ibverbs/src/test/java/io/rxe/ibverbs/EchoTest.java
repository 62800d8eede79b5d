package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("echo.c, the program whose lines docs/api.md counts")
class EchoTest {
    private static final String SERVER = "127.0.0.77";
    private static final String CLIENT = "127.0.0.78";

    @TempDir
    private Path folder;

    @Test
    @DisplayName("brings a message there and back, for one client after another")
    void messageReturns() throws Exception {
        CProgram.requireCmHeader();
        Path program = CProgram.compile(folder, "echo", "-lrdmacm", "-libverbs");
        Path library = CProgram.library();
        int udpPort = FreePorts.udp(SERVER, CLIENT);
        String port = Integer.toString(FreePorts.tcp());
        Path output = folder.resolve("server");
        Process server = CProgram.start(new ProcessBuilder(program.toString(), SERVER, port), output,
            new ProgramStart(library).address(SERVER).udpPort(udpPort).verbose().variables());
        try {
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(CProgram.TIMEOUT_SECONDS);
            while (!CProgram.text(output).contains("rxe: listener on")) {
                assertTrue(server.isAlive() && System.nanoTime() < endNs, () -> CProgram.text(output));
                Thread.sleep(10);
            }
            Map<String, String> variables = new ProgramStart(library).address(CLIENT).udpPort(udpPort).variables();
            for (String text : new String[] {"hello", "again"}) {
                // The JVM in the process may print lines before it.
                List<String> printed = CProgram.finish(new ProcessBuilder(program.toString(), SERVER, port, text),
                    folder.resolve("client"), variables);
                assertEquals(text, printed.get(printed.size() - 1), printed::toString);
            }
        } finally {
            server.destroyForcibly();
        }
    }
}
