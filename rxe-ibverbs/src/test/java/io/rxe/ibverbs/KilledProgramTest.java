package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.net.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("a program that a signal ends")
class KilledProgramTest {
    private static final String SERVER = "127.0.0.75";
    private static final String CLIENT = "127.0.0.76";
    private static final String THIRD = "127.0.0.73";

    @TempDir
    private Path folder;

    private static int frames(Path file) {
        int frames = 0;
        try (CaptureReader reader = new CaptureReader(Files.newInputStream(file))) {
            while (reader.read() != null) {
                frames++;
            }
        } catch (IOException e) {
            // Not there yet.
            return frames;
        }
        return frames;
    }

    private static void await(BooleanSupplier condition, Process process, Path output) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(CProgram.TIMEOUT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(process.isAlive() && System.nanoTime() < endNs, () -> CProgram.text(output));
            Thread.sleep(10);
        }
    }

    @Test
    @DisplayName("its capture has what it sent and received, and the next start at the address works at once")
    void captureIsKept() throws Exception {
        CProgram.requireProgram("rping", "rdmacm-utils");
        Path library = CProgram.library();
        int udpPort = FreePorts.udp(SERVER, CLIENT);
        Path output = folder.resolve("server");
        Map<String, String> client = new ProgramStart(library).address(CLIENT).udpPort(udpPort).variables();
        for (int round = 0; round < 2; round++) {
            Path capture = folder.resolve("capture-" + round);
            Map<String, String> variables = new HashMap<>(new ProgramStart(library).address(SERVER).udpPort(udpPort).capture(capture)
                .verbose().variables());
            // It serves one client after the other, so that only the signal ends it.
            Process server = CProgram.start(new ProcessBuilder("rping", "-s", "-P", "-a", SERVER), output, variables);
            try {
                await(() -> CProgram.text(output).contains("listener"), server, output);
                List<String> printed = CProgram.finish(new ProcessBuilder("rping", "-c", "-a", SERVER, "-C", "5", "-v"),
                    folder.resolve("client"), client);
                assertEquals(5, printed.stream().filter(line -> line.startsWith("ping data")).count());
                // Each ping is a READ and a WRITE of the server and two messages of each side.
                await(() -> frames(capture) > 5 * 6, server, output);
            } finally {
                server.destroyForcibly();
            }
            assertTrue(server.waitFor(CProgram.TIMEOUT_SECONDS, TimeUnit.SECONDS));
            assertTrue(frames(capture) > 5 * 6);
        }
    }

    /** Starts rping at an address; its output is in a file of this name. */
    private Process rping(int udpPort, String name, String address, String... arguments) throws IOException {
        Map<String, String> variables = new HashMap<>(new ProgramStart(CProgram.library()).address(address).udpPort(udpPort).verbose()
            .variables());
        variables.put("RXE_KEEP_ALIVE_MS", "500");
        ProcessBuilder command = new ProcessBuilder("rping", "-v");
        command.command().addAll(List.of(arguments));
        return CProgram.start(command, folder.resolve(name), variables);
    }

    private Process serve(int udpPort, String name, String address) throws Exception {
        Path output = folder.resolve(name);
        Process server = rping(udpPort, name, address, "-s", "-a", address);
        await(() -> CProgram.text(output).contains("listener"), server, output);
        return server;
    }

    @ParameterizedTest(name = "of a pair, the server: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("the next program at its address works at once, beside a peer that has not noticed; and that peer ends, if only it waits")
    void nextAtOnce(boolean killsServer) throws Exception {
        CProgram.requireProgram("rping", "rdmacm-utils");
        int udpPort = FreePorts.udp(SERVER, CLIENT, THIRD);
        Process server = serve(udpPort, "server", SERVER);
        Process client = rping(udpPort, "client", CLIENT, "-c", "-a", SERVER);
        Process next = null;
        try {
            await(() -> CProgram.text(folder.resolve("client")).contains("ping data: rdma-ping-99"), client, folder.resolve("client"));
            Process killed = killsServer ? server : client;
            assertTrue(killed.destroyForcibly().waitFor(CProgram.TIMEOUT_SECONDS, TimeUnit.SECONDS));
            String address = killsServer ? SERVER : THIRD;
            next = serve(udpPort, "next", address);
            Process last = rping(udpPort, "last", killsServer ? THIRD : CLIENT, "-c", "-a", address, "-C", "5");
            List<String> printed = CProgram.await(last, folder.resolve("last"));
            assertEquals(5, printed.stream().filter(line -> line.startsWith("ping data")).count(), printed::toString);
            String survivor = killsServer ? "client" : "server";
            assertTrue((killsServer ? client : server).waitFor(CProgram.TIMEOUT_SECONDS, TimeUnit.SECONDS), survivor + " has not ended");
            assertTrue(CProgram.text(folder.resolve(survivor)).lines().skip(99).anyMatch(line -> line.contains("DISCONNECT")
                || line.contains("cq completion failed status 12")), () -> CProgram.text(folder.resolve(survivor)));
        } finally {
            for (Process one : new Process[] {server, client, next}) {
                if (one != null) {
                    one.destroyForcibly();
                }
            }
        }
    }
}
